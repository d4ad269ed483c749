/** Where the servers of the browser tests listen, and where they keep what can be made again. */
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const here = fileURLToPath(new URL('.', import.meta.url))
export const project = fileURLToPath(new URL('../../', import.meta.url))
export const state = fileURLToPath(new URL('.state/', import.meta.url))

/** One after the other, so that a second checkout can move them all. The site is built for its own. */
const first = Number(process.env.CITEBOOK_E2E_PORT ?? 18791)
const at = (offset) => `http://127.0.0.1:${first + offset}`

/** The real server, on the sample book. */
export const server = at(0)
/** The Docusaurus site. */
export const site = at(1)
/** A plain site whose pages have the script tag. */
export const plain = at(2)
/** A server that says what a test tells it to say. */
export const scripted = at(3)
/** Nobody listens here. */
export const nobody = at(4)

export function portOf(address) {
  return Number(new URL(address).port)
}

/** The browser of the tests: what CHROMIUM names, or the first that is on PATH. */
export function chromium() {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const names = ['chromium', 'chromium-browser', 'google-chrome']
  const found = [process.env.CHROMIUM, ...names.flatMap((name) => folders.map((folder) => join(folder, name)))].find(
    (path) => path && existsSync(path),
  )
  if (!found)
    throw new Error('No Chromium was found. Set CHROMIUM to its path, or install it: apt-get install -y chromium')
  return found
}

export const browserOptions = {
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--no-first-run',
  ],
}
