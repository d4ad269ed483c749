import { describe, expect, it } from 'vitest'

import { type Block, readBlocks } from '../../src/rendering/blocks'
import { readInline } from '../../src/rendering/inline'
import { visibleText } from '../../src/rendering/visible'

const LENGTH = 250_000
const PIECES = [
  'a ',
  '*a ',
  '**a** ',
  '[',
  ']',
  '[a](',
  '![a](b) ',
  '](',
  '`',
  '`a``',
  '$',
  '$a ',
  '\\(',
  '\\[',
  '<',
  '<br',
  '&amp;',
  '&#',
  '_a_b',
  '\n',
  '- ',
  '- a\n',
  '> ',
  '> a\n',
  '1. a\n  ',
  '  - a\n',
  '| a ',
  '| a | b |\n',
  '|\n',
  '| - |\n',
  '#',
  '# a\n',
  '```\n',
  '~~~a\n',
  '$$\n',
  '\\[\n',
  ':::tip\n',
  ':::\n',
  '---\n',
  'a\n---\n',
  '===\n',
  '\t',
  ' ',
  '\\',
  '\u200b',
  '👩‍',
  'a  \n',
  `# a${' '.repeat(900)}#b\n`,
  '***',
  '~~',
  '[1]',
  '[1,',
]

function inlineTexts(block: Block): string[] {
  switch (block.kind) {
    case 'paragraph':
    case 'heading':
      return [block.text]
    case 'list':
      return block.items.flat().flatMap(inlineTexts)
    case 'table':
      return [...block.header, ...block.rows.flat()]
    case 'quote':
      return block.blocks.flatMap(inlineTexts)
    default:
      return []
  }
}

function read(text: string): number {
  const blocks = readBlocks(visibleText(text))
  return blocks.flatMap(({ block }) => inlineTexts(block)).reduce((sum, inline) => sum + readInline(inline).length, 0)
}

describe('a quarter of a megabyte of one piece over and over', () => {
  // A reader of quadratic time would need minutes for one of these; the test's own limit is the check.
  it.each(PIECES)('is read: %j', { timeout: 10_000 }, (piece) => {
    expect(read(piece.repeat(Math.ceil(LENGTH / piece.length)))).toBeGreaterThanOrEqual(0)
  })

  it('is no harder than a megabyte of all of them', { timeout: 20_000 }, () => {
    expect(read(PIECES.join('').repeat(Math.ceil(1_000_000 / PIECES.join('').length)))).toBeGreaterThan(0)
  })
})
