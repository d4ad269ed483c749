/** What a page or an answer says, as a tree: paragraphs, lists, tables, code, formulas and quotations. */
import { fieldsOf, flag, list, text, wholeNumber } from './checking'
import { visibleText } from './visibleText'
import type { Schemas } from './wireTypes'

export type Inline = Schemas['Inline']
export type Mark = Inline['marks'][number]
export type Block =
  | Schemas['Paragraph']
  | Schemas['ListBlock']
  | Schemas['Table']
  | Schemas['Code']
  | Schemas['Formula']
  | Schemas['Quotation']

/** Blocks that one source proves; its position among the answer's citations, from 1. */
export type AnswerPart = Schemas['AnswerPart']

/** What answers of all contracts, the frames of their streams and stored messages have beside their other fields. */
export interface WithParts {
  parts?: AnswerPart[] | null
}

/** All of what is cited, where it stands, and what stands beside it. */
export type CitedPlace = Schemas['CitedPlace']

export type BookSection = Schemas['SectionOfPage']
export type BookPage = Schemas['Page']

export type BlockOf<Kind extends Block['kind']> = Extract<Block, { kind: Kind }>

const MARKS: readonly unknown[] = ['strong', 'emphasis', 'code', 'formula'] satisfies Mark[]

/** What is nested deeper is left out, so that no nesting can exhaust the stack. */
const MOST_DEPTH = 8

/** The parts of an answer; nothing where it has none, as answers that were kept before there were any. */
export function partsOf(value: unknown): AnswerPart[] | undefined {
  const parts = list(value).flatMap((each) => {
    const fields = fieldsOf<AnswerPart>(each)
    const blocks = blocksOf(fields.blocks)
    return blocks.length ? [{ blocks, citation: positionOf(fields.citation) }] : []
  })
  return parts.length ? parts : undefined
}

/** Nothing where a citation tells no place, as one that was kept does not. */
export function placeOf(value: unknown): CitedPlace | undefined {
  const { start, end, text: told, blocks, before, after } = fieldsOf<CitedPlace>(value)
  const [from, to, said] = [wholeNumber(start), wholeNumber(end), text(told)]
  if (from === undefined || to === undefined || !said) return undefined
  return {
    start: from,
    end: to,
    text: said,
    blocks: blocksOf(blocks),
    before: blocksOf(before),
    after: blocksOf(after),
  }
}

/** The blocks that are what they should be; their text is what a reader can see of it. */
export function blocksOf(value: unknown, depth = 0): Block[] {
  if (depth > MOST_DEPTH) return []
  return list(value).flatMap((each) => blockOf(fieldsOf<Block>(each), depth) ?? [])
}

function blockOf(fields: ReturnType<typeof fieldsOf<Block>>, depth: number): Block | undefined {
  const { kind } = fields
  switch (kind) {
    case 'paragraph':
      return { kind, text: inlinesOf(fields.text) }
    case 'list':
      return {
        kind,
        ordered: flag(fields.ordered) ?? false,
        start: wholeNumber(fields.start) ?? null,
        items: list(fields.items).map((item) => blocksOf(item, depth + 1)),
      }
    case 'table':
      return {
        kind,
        header: list(fields.header).map(inlinesOf),
        rows: list(fields.rows).map((row) => list(row).map(inlinesOf)),
      }
    case 'code':
      return { kind, language: languageOf(fields.language), text: shown(fields.text) }
    case 'formula':
      return { kind, text: shown(fields.text) }
    case 'quotation':
      return { kind, blocks: blocksOf(fields.blocks, depth + 1) }
    default:
      return undefined
  }
}

function inlinesOf(value: unknown): Inline[] {
  return list(value).flatMap((each) => {
    const fields = fieldsOf<Inline>(each)
    const said = shown(fields.text)
    return said ? [{ text: said, marks: list(fields.marks).filter(isMark) }] : []
  })
}

function isMark(value: unknown): value is Mark {
  return MARKS.includes(value)
}

function shown(value: unknown): string {
  return visibleText(text(value) ?? '')
}

/** The name alone, without what else a fence may say. */
function languageOf(value: unknown): string {
  return /^[\w+#.-]{1,30}/.exec(text(value) ?? '')?.[0] ?? ''
}

function positionOf(value: unknown): number | null {
  const position = wholeNumber(value)
  return position !== undefined && position > 0 ? position : null
}
