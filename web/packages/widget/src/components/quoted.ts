/** Whether a part of an answer is the book's own words, and not those of a language model. */
import { type AnswerPart, type Citation, quoteOf } from '@citebook/client'
import { plainText } from '../rendering/plainText'

/** Fewer words may stand anywhere. */
const FEWEST_WORDS = 4

export function isQuoted({ blocks, citation }: AnswerPart, citations: Citation[]): boolean {
  const source = citation === null ? undefined : citations[citation - 1]
  if (!source) return false
  const said = wordsOf(plainText(blocks))
  return said.split(' ').length >= FEWEST_WORDS && ` ${wordsOf(quoteOf(source))} `.includes(` ${said} `)
}

function wordsOf(text: string): string {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ')
}
