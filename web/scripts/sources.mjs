/** Which files the shipped chat is built from, and their hashes; the Python suite applies the same rule without Node. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

export const webRoot = fileURLToPath(new URL('..', import.meta.url))

const singleFiles = [
  'package-lock.json',
  'package.json',
  'scripts/build.mjs',
  'scripts/licenses.mjs',
  'scripts/sources.mjs',
  'tsconfig.base.json',
]
const builtPackages = ['packages/client', 'packages/page', 'packages/widget']
const skippedFolders = new Set(['node_modules', 'dist', 'test'])

export function sha256(bytes) {
  return createHash('sha256').update(bytes).digest('hex')
}

/** An order that no language setting of a machine changes. */
export function byCodeUnits(one, other) {
  if (one === other) return 0
  return one < other ? -1 : 1
}

export function filesUnder(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return skippedFolders.has(entry.name) ? [] : filesUnder(path)
    return entry.isFile() ? [path] : []
  })
}

function isSource(path) {
  return !/\.test\.tsx?$/.test(path) && !path.endsWith('.tsbuildinfo')
}

/** Path below web/ (with forward slashes) → sha256, in order of the path. */
export function sourceHashes() {
  const found = builtPackages.flatMap((folder) => filesUnder(join(webRoot, folder)))
  const paths = found.map((path) => relative(webRoot, path).split(sep).join('/')).filter(isSource)
  return Object.fromEntries(
    [...singleFiles, ...paths].sort(byCodeUnits).map((path) => [path, sha256(readFileSync(join(webRoot, path)))]),
  )
}
