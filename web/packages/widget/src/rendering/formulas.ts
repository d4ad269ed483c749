/** Whether blocks have more formulas than a browser can draw. */
import type { Block, Inline } from '@citebook/client'

/** A text with more than this is no lesson. */
const MOST_FORMULAS = 2_000

export function hasTooManyFormulas(blocks: Block[]): boolean {
  return formulasIn(blocks) > MOST_FORMULAS
}

function formulasIn(blocks: Block[]): number {
  return sum(blocks.map(formulasInBlock))
}

function formulasInBlock(block: Block): number {
  switch (block.kind) {
    case 'paragraph':
      return formulasInText(block.text)
    case 'list':
      return sum(block.items.map(formulasIn))
    case 'table':
      return sum([block.header, ...block.rows].flat().map(formulasInText))
    case 'quotation':
      return formulasIn(block.blocks)
    case 'formula':
      return 1
    case 'code':
      return 0
  }
}

function formulasInText(text: Inline[]): number {
  return text.filter(({ marks }) => marks.includes('formula')).length
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
