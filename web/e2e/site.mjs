/** Builds the Docusaurus site with the plugin as npm would ship it, when anything that it is made of has changed. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { byCodeUnits } from '../scripts/sources.mjs'
import { here, project, state } from './folders.mjs'
import { alone } from './lock.mjs'
import { BUILT_FOR } from './servers/sites.mjs'

const web = join(here, '..')
const site = join(here, 'site')
const plugin = join(web, 'packages/docusaurus-plugin')
const inputs = [
  join(site, 'docusaurus.config.mjs'),
  join(site, 'src'),
  join(site, 'package.json'),
  join(site, 'package-lock.json'),
  join(plugin, 'package.json'),
  join(plugin, 'build.mjs'),
  join(plugin, 'src'),
  join(plugin, 'theme.d.ts'),
  join(web, 'package-lock.json'),
  join(web, 'packages/widget/src'),
  join(web, 'packages/client/src'),
  join(project, 'examples/physical-ai/docs'),
]

function filesOf(path) {
  if (statSync(path).isFile()) return [path]
  return readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort(byCodeUnits)
}

function hashOf(paths, ...words) {
  const hash = createHash('sha256')
  for (const path of paths.flatMap(filesOf)) hash.update(path.slice(project.length)).update(readFileSync(path))
  return hash.update(words.join('\n')).digest('hex')
}

function isCurrent(mark, hash) {
  return existsSync(mark) && readFileSync(mark, 'utf8') === hash
}

function run(folder, command, args, environment = {}) {
  const started = Date.now()
  execFileSync(command, args, {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...environment },
  })
  console.log(`${[command, ...args].join(' ')}: ${((Date.now() - started) / 1000).toFixed(1)} s`)
}

const npm = ['--no-audit', '--no-fund', '--loglevel=error']

function installSite() {
  const mark = join(site, 'node_modules/.citebook-installed')
  const hash = hashOf([join(site, 'package-lock.json')])
  if (isCurrent(mark, hash)) return
  run(site, 'npm', ['ci', ...npm])
  writeFileSync(mark, hash)
}

function installPlugin() {
  for (const file of readdirSync(state)) if (file.endsWith('.tgz')) rmSync(join(state, file))
  run(plugin, 'npm', ['pack', '--silent', '--pack-destination', state])
  // Both npm and the bundler's cache take a package of the same version for the same package.
  for (const stale of ['@citebook', '.cache'])
    rmSync(join(site, 'node_modules', stale), { recursive: true, force: true })
  const packed = readdirSync(state).find((file) => file.endsWith('.tgz'))
  run(site, 'npm', ['install', '--no-save', ...npm, join(state, packed)])
}

/** Docusaurus serves what is in `static`; a book's other files are found there under the address of its pages. */
function copyFiles() {
  const book = join(project, 'examples/physical-ai/docs')
  const isOther = (path) => statSync(path).isDirectory() || !/\.mdx?$|_category_\.json$/.test(path)
  rmSync(join(site, 'static'), { recursive: true, force: true })
  cpSync(book, join(site, 'static/docs'), { recursive: true, filter: isOther })
}

function buildSite() {
  const mark = join(state, 'site-built')
  const hash = hashOf(inputs, BUILT_FOR)
  if (isCurrent(mark, hash) && existsSync(join(site, 'build/docs/index.html'))) {
    console.log('The site is built already.')
    return
  }
  installSite()
  installPlugin()
  copyFiles()
  run(site, 'npx', ['docusaurus', 'build'], { CITEBOOK_SERVER: BUILT_FOR, NO_UPDATE_NOTIFIER: '1' })
  writeFileSync(mark, hash)
}

mkdirSync(state, { recursive: true })
await alone(join(state, 'site.lock'), buildSite)
