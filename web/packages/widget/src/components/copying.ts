/** An answer as plain text, with its sources. */
import { type Message, visibleText } from '@citebook/client'
import { plainAnswer } from '../rendering/plainText'

export function textToCopy({ content, parts, citations = [] }: Message): string {
  const answer = parts ? plainAnswer(parts) : visibleText(content)
  if (!citations.length) return answer
  const sources = citations.map(({ chapterTitle, sectionTitle, excerpt }, index) => {
    const place = sectionTitle && sectionTitle !== chapterTitle ? `${chapterTitle} › ${sectionTitle}` : chapterTitle
    return `[${index + 1}] ${place}${excerpt ? `: “${excerpt}”` : ''}`
  })
  return `${answer}\n\nSources\n${sources.join('\n')}`
}
