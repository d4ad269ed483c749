/** The browser of the tests: what CHROMIUM names, or the first that is on PATH. */
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

function chromium() {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const names = ['chromium', 'chromium-browser', 'google-chrome']
  const found = [process.env.CHROMIUM, ...names.flatMap((name) => folders.map((folder) => join(folder, name)))].find(
    (path) => path && existsSync(path),
  )
  if (!found)
    throw new Error('No Chromium was found. Set CHROMIUM to its path, or install it: apt-get install -y chromium')
  return found
}

export function browserOptions() {
  return {
    executablePath: chromium(),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
  }
}
