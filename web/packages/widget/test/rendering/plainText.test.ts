import { describe, expect, it } from 'vitest'
import { textToCopy } from '../../src/components/copying'
import { plainAnswer, plainText } from '../../src/rendering/plainText'
import { english } from '../../src/words'
import { bullets, code, formula, numbered, paragraph, part, quotation, run, sentence, table } from '../blocks'

describe('plain text', () => {
  it.each([
    ['words without their marks', [paragraph('a ', run('b', 'strong'), run('x^2', 'formula'))], 'a bx^2'],
    ['tables by tabs and lines', [table(['a', 'b'], ['1', '2'], ['3'])], 'a\tb\n1\t2\n3'],
    ['tables without a header', [table([], ['1', '2'])], '1\t2'],
    ['code to the letter', [code('python', 'if a:\n\treturn  "b"\n')], 'if a:\n\treturn  "b"\n'],
    ['formulas by their source', [formula('\\frac{a}{b}')], '\\frac{a}{b}'],
    [
      'lists with their marks, inner ones farther in',
      [numbered(9, [paragraph('a')], [paragraph('b'), bullets([paragraph('c')], [paragraph('d')])])],
      '9. a\n10. b\n    - c\n    - d',
    ],
    ['quotations by their words', [quotation(paragraph('a'), paragraph('b')), paragraph('c')], 'a\n\nb\n\nc'],
  ])('has %s', (_name, blocks, text) => {
    expect(plainText(blocks)).toBe(text)
  })

  it('of an answer has sentences in one paragraph, with their sources', () => {
    expect(plainAnswer([sentence('A.', 1), sentence('B.'), part(2, code('', 'x = 1')), sentence('C.', 1)])).toBe(
      'A. [1] B.\n\nx = 1\n[2]\n\nC. [1]',
    )
  })
})

describe('what is copied of an answer', () => {
  const message = { id: 'm', role: 'assistant' as const, timestamp: new Date(0), content: 'A **gear**. [1]' }
  const citation = {
    chapter: 'g',
    chapterTitle: 'Gears',
    sourceFile: 'g.mdx',
    excerpt: 'A gear.',
    sectionTitle: 'Drives',
  }

  it('is its blocks, and where they are from', () => {
    expect(textToCopy({ ...message, parts: [sentence('A gear.', 1)], citations: [citation] }, english)).toBe(
      'A gear. [1]\n\nSources\n[1] Gears › Drives',
    )
  })

  it('names the addresses of its sources', () => {
    const copied = textToCopy(
      { ...message, parts: [sentence('A gear.', 1)], citations: [{ ...citation, page: 7 }] },
      english,
      ({ chapter }) => `https://book.example/${chapter}#drives`,
    )
    expect(copied).toContain('[1] Gears › Drives, page 7: https://book.example/g#drives')
  })

  it('has formulas as an author writes them', () => {
    const blocks = [
      paragraph('so ', run('x^2', 'formula')),
      table([], [run('y', 'formula')]),
      formula('\\frac{a}{b}'),
    ]
    expect(textToCopy({ ...message, parts: [part(1, ...blocks)] }, english)).toBe(
      'so $x^2$\n\n$y$\n\n$$\n\\frac{a}{b}\n$$\n[1]',
    )
  })

  it('is its text where it was kept as text', () => {
    expect(textToCopy(message, english)).toBe('A **gear**. [1]')
  })
})
