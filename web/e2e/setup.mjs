/** Before all tests: the servers. After them: nothing is left of the run but what a failed test wrote down. */
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { runFolder } from './folders.mjs'
import { startServers } from './servers/start.mjs'

export default async function setUp() {
  const folder = runFolder()
  const { stop } = await startServers(folder)
  return async () => {
    await stop()
    rmSync(join(folder, 'data'), { recursive: true, force: true })
    if (!hasResults(folder)) rmSync(folder, { recursive: true, force: true })
    else console.log(`What failed tests wrote down is in ${folder}`)
  }
}

function hasResults(folder) {
  const results = join(folder, 'results')
  return existsSync(results) && readdirSync(results, { withFileTypes: true }).some((entry) => entry.isDirectory())
}
