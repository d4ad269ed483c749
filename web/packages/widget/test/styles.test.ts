// @vitest-environment node
/// <reference types="node" />
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const folders = ['../src', '../../page/src'].map((path) => fileURLToPath(new URL(path, import.meta.url)))

function textOf(ending: RegExp): string {
  const paths = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
  )
  return paths
    .filter((path) => ending.test(path))
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n')
}

/** Classes whose last part the sources put together, or a library gives. */
const MADE = /^(?:cb-(?:left|right|resize-\w+)|line-\w|icon-\w+|tml-\w+)$/

it('has no rule for a class that nothing has', () => {
  const rules = textOf(/\.css$/).replace(/\/\*[\s\S]*?\*\//g, '')
  const classes = new Set([...rules.matchAll(/\.([a-z][\w-]*)(?=[^{}]*\{)/g)].map(([, name]) => name!))
  const page = readFileSync(new URL('../../page/index.html', import.meta.url), 'utf8')
  const used = new Set((textOf(/\.tsx?$/) + page).match(/[a-z][\w-]*/g))
  expect(classes.size).toBeGreaterThan(100)
  expect([...classes].filter((name) => !used.has(name) && !MADE.test(name))).toEqual([])
})
