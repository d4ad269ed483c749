/** One process at a time: others wait until it is done, or gone. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

const PAUSE_MILLISECONDS = 500

/** Does the work while this process holds the lock, which is a file with its id. */
export async function alone(path, work) {
  while (!take(path)) await pause(PAUSE_MILLISECONDS)
  try {
    work()
  } finally {
    rmSync(path, { force: true })
  }
}

function take(path) {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    if (!isHeld(path)) rmSync(path, { force: true })
    return false
  }
}

/** A process that was killed has left its lock behind. */
function isHeld(path) {
  try {
    process.kill(Number(readFileSync(path, 'utf8')), 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}
