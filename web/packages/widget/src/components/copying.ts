/** An answer as plain text, with its sources and where they are found. */
import { type Citation, type Message, visibleText } from '@citebook/client'
import { plainAnswer } from '../rendering/plainText'
import { filled, type WordsOfChat } from '../words'

/** `addressOf` tells where a citation leads, as far as anybody knows. */
export function textToCopy(
  { content, parts, citations = [] }: Message,
  words: WordsOfChat,
  addressOf: (citation: Citation) => string | undefined = () => undefined,
): string {
  const answer = parts ? plainAnswer(parts) : visibleText(content)
  if (!citations.length) return answer
  const sources = citations.map((citation, index) => sourceLine(index + 1, citation, words, addressOf(citation)))
  return `${answer}\n\n${words.copySources}\n${sources.join('\n')}`
}

function sourceLine(
  number: number,
  { chapterTitle, sectionTitle, page }: Citation,
  words: WordsOfChat,
  address?: string,
): string {
  const place = sectionTitle && sectionTitle !== chapterTitle ? `${chapterTitle} › ${sectionTitle}` : chapterTitle
  const named = page === undefined ? place : `${place}, ${filled(words.page, { number: page })}`
  return `[${number}] ${named}${address ? `: ${address}` : ''}`
}
