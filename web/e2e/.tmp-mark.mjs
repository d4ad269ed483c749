/** Builds the Docusaurus site with the plugin as npm would ship it, when anything that it is made of has changed. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { here, project, server, state } from './places.mjs'

const web = join(here, '..')
const site = join(here, 'site')
const plugin = join(web, 'packages/docusaurus-plugin')
const inputs = [
  join(site, 'docusaurus.config.mjs'),
  join(site, 'package.json'),
  join(site, 'package-lock.json'),
  join(plugin, 'package.json'),
  join(plugin, 'build.mjs'),
  join(plugin, 'src'),
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
    .sort()
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
  execFileSync(command, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, ...environment } })
  console.log(`${[command, ...args].join(' ')}: ${((Date.now() - started) / 1000).toFixed(1)} s`)
}

const npm = ['--no-audit', '--no-fund', '--loglevel=error']

function installSite() {
  const mark = join(site, 'node_modules/.citebook-installed')
  const hash = hashOf([join(site, 'package-lock.json')])
  writeFileSync(mark, hash)