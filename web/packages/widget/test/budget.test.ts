// @vitest-environment node
/// <reference types="node" />
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'

const built = new URL('../../../../src/citebook/web/', import.meta.url)
const gzipped = (name: string): number => gzipSync(readFileSync(new URL(name, built)), { level: 9 }).length

it('loads at most 5 kB into a page that does not open the chat', () => {
  expect(gzipped('widget.js')).toBeLessThanOrEqual(5_000)
})

it('is at most 95 kB in all, without the maths that only formulas load, and the words of other languages', () => {
  expect(gzipped('widget.js') + gzipped('widget-panel.js')).toBeLessThanOrEqual(95_000)
})

it('has no chunk that the panel needs at its start', () => {
  expect(readFileSync(new URL('widget-panel.js', built), 'utf8')).not.toMatch(/^import|[;}]import[ {"']/m)
})
