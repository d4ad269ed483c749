/** Folders of the browser tests. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const here = fileURLToPath(new URL('.', import.meta.url))
export const project = fileURLToPath(new URL('../../', import.meta.url))
/** What every run can use again: the built site, and the index of the sample book. */
export const state = fileURLToPath(new URL('.state/', import.meta.url))

/** A folder of this run alone, so that several can go on at the same time. */
export function runFolder() {
  process.env.BROWSERTEST_FOLDER ??= mkdtempSync(join(tmpdir(), 'citebook-e2e-'))
  return process.env.BROWSERTEST_FOLDER
}
