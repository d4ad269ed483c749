/** Says of each test that was skipped why it was, and leaves nothing of a run but what failed tests wrote down. */
import { rmSync } from 'node:fs'
import { runFolder } from './folders.mjs'

export default class RunReport {
  hasPassed = false

  onTestEnd(test, result) {
    if (result.status !== 'skipped') return
    const reason = test.annotations.find(({ type }) => type === 'skip' || type === 'fixme')?.description
    console.log(`\nSKIPPED: ${test.title} (${reason ?? 'no reason was given'})`)
  }

  onEnd({ status }) {
    this.hasPassed = status === 'passed'
  }

  onExit() {
    if (this.hasPassed) rmSync(runFolder(), { recursive: true, force: true })
    else console.log(`What failed tests wrote down is in ${runFolder()}`)
  }
}
