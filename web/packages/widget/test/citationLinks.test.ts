import { describe, expect, it } from 'vitest'
import { bookUrl, isSamePage, textFragment, withTextFragment, wordsOfFragment } from '../src/navigation/citationLinks'

describe('an address of the book', () => {
  it.each([
    ['/docs/gears#drives', '', 'http://localhost:3000/docs/gears#drives'],
    ['gears', 'https://book.example/docs/', 'https://book.example/docs/gears'],
    ['https://book.example/docs/gears', 'https://book.example', 'https://book.example/docs/gears'],
  ])('%s, relative to "%s"', (url, book, expected) => {
    expect(bookUrl(url, book)?.href).toBe(expected)
  })

  it.each([
    'https://evil.example/x',
    '//evil.example/x',
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'data:text/html,x',
    'http://[',
    'mailto:a@b.c',
    '\\\\evil.example/x',
    '',
  ])('is never %s', (url) => {
    expect(bookUrl(url, '')).toBeUndefined()
  })
})

describe('the same page', () => {
  const page = (path: string): URL => new URL(path, 'https://book.example')

  it.each(['/docs/gears/', '/docs/gears.html', '/docs/gears/index.html', '/docs/gears?x=1', '/docs/gears#a'])(
    'is also %s',
    (path) => {
      expect(isSamePage(page(path), page('/docs/gears'))).toBe(true)
    },
  )

  it('is not another one', () => {
    expect(isSamePage(page('/docs/gear'), page('/docs/gears'))).toBe(false)
  })
})

describe('a text fragment', () => {
  it('names a short excerpt whole', () => {
    expect(textFragment('A gear, well-made.')).toBe('text=A%20gear%2C%20well%2Dmade.')
  })

  it('names words that stand between formulas, which look different on the page', () => {
    expect(textFragment('For $m$ on a spring it is stable if $\\Delta t$ is')).toBe(
      'text=on%20a%20spring%20it%20is%20stable%20if',
    )
    expect(textFragment('$x$')).toBe('')
  })

  it('spans from the first such words to the last', () => {
    const [first, last] = ['on%20a%20spring%20it%20is', 'is%20small%20enough.']
    expect(textFragment('For $m$ on a spring it is stable if $\\Delta t$ is small enough.')).toBe(
      `text=${first},${last}&text=${first}`,
    )
  })

  it('spans a table from its first sentence to the last cell that has words', () => {
    const [first, last] = ['There%20are%20two%20types%3A', 'Rotation%20without%20limits']
    expect(textFragment('There are two types:\n\nType | Motion\ncontinuous | Rotation without limits | 1')).toBe(
      `text=${first},${last}&text=${first}`,
    )
  })

  it('begins with the name of a listing, which is one long word', () => {
    expect(textFragment('patrol_with_recovery.xml\n\n<root main_tree_to_execute="Main">')).toMatch(
      /^text=patrol_with_recovery\.xml,/,
    )
    expect(textFragment('gears.py\n\nimport numpy as np')).toBe('text=import%20numpy%20as%20np')
  })

  it('is of all that is cited, not of what is shown of it', () => {
    const place = { start: 0, end: 9, text: 'A gear with teeth.', blocks: [], before: [], after: [] }
    const citation = { chapter: '', chapterTitle: '', sourceFile: '', excerpt: 'A gear', place }
    expect(withTextFragment(new URL('https://b.example/p'), citation)).toContain('A%20gear%20with%20teeth.')
  })

  it('names the first and last words of a long one, and the first again in case the page lacks the last', () => {
    const [first, last] = ['one%20two%20three%20four%20five', 'seven%20eight%20nine%20ten%20eleven']
    expect(textFragment('one two three four five six seven eight nine ten eleven')).toBe(
      `text=${first},${last}&text=${first}`,
    )
  })

  it('stands after the anchor of the section', () => {
    const citation = { chapter: '', chapterTitle: '', sourceFile: '', excerpt: 'A gear.' }
    expect(withTextFragment(new URL('https://b.example/p#drives'), citation)).toBe(
      'https://b.example/p#drives:~:text=A%20gear.',
    )
    expect(withTextFragment(new URL('https://b.example/p'), citation)).toBe('https://b.example/p#:~:text=A%20gear.')
  })

  it('is read back where the browser knows none', () => {
    expect(wordsOfFragment('#drives:~:text=A%20gear%2C%20a,the%20end&text=A%20gear')).toEqual([
      'A gear, a',
      'the end',
    ])
    expect(wordsOfFragment('#drives:~:text=A%20gear')).toEqual(['A gear'])
    expect(wordsOfFragment('#drives')).toBeUndefined()
    expect(wordsOfFragment('#:~:text=%E0%A4%A')).toBeUndefined()
  })
})
