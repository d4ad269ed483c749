/** What blocks say, as plain text: tables with tabs and lines, code to the letter, formulas as their source. */
import type { AnswerPart, Block, BlockOf, Inline } from '@citebook/client'
import { paragraphsOf } from './paragraphs'

/** An answer with the position of its source after each part. */
export function plainAnswer(parts: AnswerPart[]): string {
  return paragraphsOf(parts)
    .map((paragraph) => (Array.isArray(paragraph) ? paragraph.map(plainPart).join(' ') : plainPart(paragraph)))
    .join('\n\n')
}

/** The position stands in a line of its own where it would become part of code, a table or a formula. */
function plainPart({ blocks, citation }: AnswerPart): string {
  if (citation === null) return plainText(blocks)
  const isProse = /^(paragraph|list|quotation)$/.test(blocks.at(-1)?.kind ?? '')
  return `${plainText(blocks)}${isProse ? ' ' : '\n'}[${citation}]`
}

export function plainText(blocks: Block[]): string {
  return blocks.map(plainBlock).join('\n\n')
}

function plainBlock(block: Block): string {
  switch (block.kind) {
    case 'paragraph':
      return plainRuns(block.text)
    case 'list':
      return plainList(block)
    case 'table':
      return [block.header, ...block.rows]
        .filter((row) => row.length > 0)
        .map((row) => row.map(plainRuns).join('\t'))
        .join('\n')
    case 'quotation':
      return plainText(block.blocks)
    default:
      return block.text
  }
}

function plainList({ ordered, start, items }: BlockOf<'list'>): string {
  return items
    .map((item, index) => {
      const marker = ordered ? `${(start ?? 1) + index}. ` : '- '
      const lines = item.map(plainBlock).join('\n').split('\n')
      return marker + lines.join(`\n${' '.repeat(marker.length)}`)
    })
    .join('\n')
}

function plainRuns(text: Inline[]): string {
  return text.map((run) => run.text).join('')
}
