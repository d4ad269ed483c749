/** Marks the text that the address names, for browsers that know no text fragments. */
import { highlightExcerpt } from '../highlighting'
import { wordsOfFragment } from './citationLinks'

export function highlightNamedText(address: string, content: string): Range | null {
  const words = wordsOfFragment(address)
  if (!words) return null
  const root = document.querySelector(content) ?? document.body
  const [first, last] = words
  if (!last) return highlightExcerpt(root, first)
  const text = between(root.textContent ?? '', first, last)
  return highlightExcerpt(root, text ?? first)
}

/** The page's text from the first words to the last, whatever space is between words. */
function between(page: string, first: string, last: string): string | undefined {
  const text = page.replace(/\s+/g, ' ')
  const start = text.indexOf(first)
  const end = start < 0 ? -1 : text.indexOf(last, start + first.length)
  return end < 0 ? undefined : text.slice(start, end + last.length)
}
