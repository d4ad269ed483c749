import { afterEach, describe, expect, it } from 'vitest'
import { clearHighlight } from '../src/highlighting'
import { markNoted, noteForNextPage } from '../src/navigation/nextPage'

const CITATION = { chapter: 'gears', chapterTitle: 'Gears', sourceFile: 'gears.mdx', excerpt: 'A gear has teeth.' }
const focused = (): string | undefined => document.activeElement?.textContent ?? undefined

afterEach(() => {
  clearHighlight()
  sessionStorage.clear()
  document.body.innerHTML = ''
})

describe('a citation on the page that is loaded next', () => {
  it('is marked there, once', () => {
    noteForNextPage(CITATION, new URL('#teeth', location.href))
    document.body.innerHTML = '<main><p>One.</p><p>A gear has teeth.</p></main>'
    markNoted('main')
    expect(focused()).toBe('A gear has teeth.')
    expect(sessionStorage).toHaveLength(0)
  })

  it('is not marked on another page, nor later', () => {
    noteForNextPage(CITATION, new URL('/docs/other', location.href))
    document.body.innerHTML = '<main><p>A gear has teeth.</p></main>'
    markNoted('main')
    expect(document.activeElement).toBe(document.body)
    expect(sessionStorage).toHaveLength(0)
  })

  it.each(['', '{}', 'no JSON', '["http://["]'])('a note that is not ours does nothing: %s', (note) => {
    sessionStorage.setItem('citebook:cited', note)
    expect(() => markNoted('main')).not.toThrow()
  })
})
