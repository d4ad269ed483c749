/** Blocks, as a server sends them, in few words. */
import type { AnswerPart, Block, Inline, Mark } from '@citebook/client'

export const run = (text: string, ...marks: Mark[]): Inline => ({ text, marks })
export const paragraph = (...text: (string | Inline)[]): Block => ({ kind: 'paragraph', text: runs(text) })
export const bullets = (...items: Block[][]): Block => ({ kind: 'list', ordered: false, start: null, items })
export const numbered = (start: number | null, ...items: Block[][]): Block => ({
  kind: 'list',
  ordered: true,
  start,
  items,
})
export const table = (header: (string | Inline)[], ...rows: (string | Inline)[][]): Block => ({
  kind: 'table',
  header: header.map((cell) => runs([cell])),
  rows: rows.map((row) => row.map((cell) => runs([cell]))),
})
export const code = (language: string, text: string): Block => ({ kind: 'code', language, text })
export const formula = (text: string): Block => ({ kind: 'formula', text })
export const quotation = (...blocks: Block[]): Block => ({ kind: 'quotation', blocks })

export const part = (citation: number | null, ...blocks: Block[]): AnswerPart => ({ blocks, citation })
export const sentence = (text: string, citation: number | null = null): AnswerPart => part(citation, paragraph(text))

function runs(texts: (string | Inline)[]): Inline[] {
  return texts.map((text) => (typeof text === 'string' ? run(text) : text)).filter(({ text }) => text !== '')
}

/** This text wherever a block can have text. */
export function everyPlace(text: string): Block[] {
  const marked = [
    run(text),
    run(text, 'strong'),
    run(text, 'emphasis'),
    run(text, 'code'),
    run(text, 'formula'),
    run(text, 'strong', 'emphasis', 'code', 'formula'),
  ]
  const simple = [paragraph(...marked), code(text, text), formula(text)]
  return [
    ...simple,
    { kind: 'table', header: [marked, [run(text, 'formula')]], rows: [[marked, marked], [marked]] },
    bullets(simple, [numbered(2, simple)]),
    quotation(...simple, quotation(bullets(simple))),
  ]
}
