/** An answer as plain text, with its sources, on the clipboard. */
import type { Message } from '@citebook/client'

export function textToCopy({ content, citations = [] }: Message): string {
  if (!citations.length) return content
  const sources = citations.map(({ chapterTitle, sectionTitle, excerpt }, index) => {
    const place = sectionTitle && sectionTitle !== chapterTitle ? `${chapterTitle} › ${sectionTitle}` : chapterTitle
    return `[${index + 1}] ${place}${excerpt ? `: “${excerpt}”` : ''}`
  })
  return `${content}\n\nSources\n${sources.join('\n')}`
}

/** Whether it worked: a page may forbid it. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}
