/** What blocks say, as plain text: tables with tabs and lines, code to the letter, formulas as their source. */
import type { AnswerPart, Block, BlockOf, Inline } from '@citebook/client'
import { paragraphsOf } from './paragraphs'

/** How formulas stand in the text: bare, for the ear, or as an author writes them, so that they can be pasted. */
type Formulas = 'bare' | 'dollars'

/** An answer with the position of its source after each part. */
export function plainAnswer(parts: AnswerPart[]): string {
  return paragraphsOf(parts)
    .map((paragraph) => (Array.isArray(paragraph) ? paragraph.map(plainPart).join(' ') : plainPart(paragraph)))
    .join('\n\n')
}

/** The position stands in a line of its own where it would become part of code, a table or a formula. */
function plainPart({ blocks, citation }: AnswerPart): string {
  const said = plainText(blocks, 'dollars')
  if (citation === null) return said
  const isProse = /^(paragraph|list|quotation)$/.test(blocks.at(-1)?.kind ?? '')
  return `${said}${isProse ? ' ' : '\n'}[${citation}]`
}

export function plainText(blocks: Block[], formulas: Formulas = 'bare'): string {
  return blocks.map((block) => plainBlock(block, formulas)).join('\n\n')
}

function plainBlock(block: Block, formulas: Formulas): string {
  switch (block.kind) {
    case 'paragraph':
      return plainRuns(block.text, formulas)
    case 'list':
      return plainList(block, formulas)
    case 'table':
      return [block.header, ...block.rows]
        .filter((row) => row.length > 0)
        .map((row) => row.map((cell) => plainRuns(cell, formulas)).join('\t'))
        .join('\n')
    case 'quotation':
      return plainText(block.blocks, formulas)
    case 'formula':
      return formulas === 'bare' ? block.text : `$$\n${block.text}\n$$`
    case 'code':
      return block.text
  }
}

function plainList({ ordered, start, items }: BlockOf<'list'>, formulas: Formulas): string {
  return items
    .map((item, index) => {
      const marker = ordered ? `${(start ?? 1) + index}. ` : '- '
      const lines = item
        .map((block) => plainBlock(block, formulas))
        .join('\n')
        .split('\n')
      return marker + lines.join(`\n${' '.repeat(marker.length)}`)
    })
    .join('\n')
}

function plainRuns(text: Inline[], formulas: Formulas): string {
  const isWrapped = (run: Inline): boolean => formulas === 'dollars' && run.marks.includes('formula')
  return text.map((run) => (isWrapped(run) ? `$${run.text}$` : run.text)).join('')
}
