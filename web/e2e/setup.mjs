/** Before all tests: the servers of this run. After them: they are stopped, and their data is gone. */
import { rmSync } from 'node:fs'
import { runFolder } from './folders.mjs'
import { startServers } from './servers/start.mjs'

export default async function setUp() {
  const { data, stop } = await startServers(runFolder())
  return async () => {
    await stop()
    rmSync(data, { recursive: true, force: true })
  }
}
