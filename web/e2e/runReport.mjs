/** Says of each test that was skipped why it was, counts clicks on citations, and leaves nothing of a run but what failed tests wrote down. */
import { rmSync } from 'node:fs'
import { runFolder } from './folders.mjs'

/** What a test notes as `18 of 20`: clicks on citations that led to their sentence. */
export const CLICKS = 'citation clicks'

export default class RunReport {
  hasPassed = false
  clicks = new Map()

  onTestEnd(test, result) {
    const clicks = result.annotations.find(({ type }) => type === CLICKS)?.description
    if (clicks) this.clicks.set(test.id, clicks.split(' of ').map(Number))
    if (result.status !== 'skipped') return
    const reason = test.annotations.find(({ type }) => type === 'skip' || type === 'fixme')?.description
    console.log(`\nSKIPPED: ${test.title} (${reason ?? 'no reason was given'})`)
  }

  onEnd({ status }) {
    this.hasPassed = status === 'passed'
    const [right, all] = [0, 1].map((part) => [...this.clicks.values()].reduce((sum, each) => sum + each[part], 0))
    if (all) console.log(`\n${right} of ${all} clicks on citations led to the whole sentence, marked and uncovered.`)
  }

  onExit() {
    if (this.hasPassed) rmSync(runFolder(), { recursive: true, force: true })
    else console.log(`What failed tests wrote down is in ${runFolder()}`)
  }
}
