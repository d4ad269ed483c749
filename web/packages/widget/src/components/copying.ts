/** An answer as plain text, with its sources and where they are found. */
import { type Citation, type Message, visibleText } from '@citebook/client'
import { plainAnswer } from '../rendering/plainText'

/** `addressOf` tells where a citation leads, as far as anybody knows. */
export function textToCopy(
  { content, parts, citations = [] }: Message,
  addressOf: (citation: Citation) => string | undefined = () => undefined,
): string {
  const answer = parts ? plainAnswer(parts) : visibleText(content)
  if (!citations.length) return answer
  const sources = citations.map((citation, index) => sourceLine(index + 1, citation, addressOf(citation)))
  return `${answer}\n\nSources\n${sources.join('\n')}`
}

function sourceLine(number: number, { chapterTitle, sectionTitle, page }: Citation, address?: string): string {
  const place = sectionTitle && sectionTitle !== chapterTitle ? `${chapterTitle} › ${sectionTitle}` : chapterTitle
  const named = page === undefined ? place : `${place}, page ${page}`
  return `[${number}] ${named}${address ? `: ${address}` : ''}`
}
