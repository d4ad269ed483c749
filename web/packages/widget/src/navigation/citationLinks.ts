/** Where a citation leads: only into the book, and there to its words. */
import type { Citation } from '@citebook/client'

const WORDS_AT_EACH_END = 5

/** The address of a page of the book, or nothing where it leads anywhere else. */
export function bookUrl(url: string | undefined, book: string): URL | undefined {
  if (!url) return undefined
  const home = new URL(book, document.baseURI)
  let found: URL
  try {
    found = new URL(url, home)
  } catch {
    return undefined
  }
  const isWeb = found.protocol === 'https:' || found.protocol === 'http:'
  return isWeb && found.origin === home.origin ? found : undefined
}

/** The same page, whatever its anchor, its last slash or its `.html`. */
export function isSamePage(one: URL, other: URL): boolean {
  return one.origin === other.origin && pageOf(one) === pageOf(other)
}

function pageOf(url: URL): string {
  return url.pathname.replace(/\/index\.html$|\.html$|\/$/, '') || '/'
}

/** The address with a text fragment, which lets the browser scroll to the excerpt and mark it. */
export function withTextFragment(url: URL, citation: Citation): string {
  const fragment = textFragment(citation.excerpt)
  return fragment ? `${url.href}${url.hash ? '' : '#'}:~:${fragment}` : url.href
}

/** `text=first words,last words`, and the first words alone in case the last are not found; a short excerpt whole. */
export function textFragment(excerpt: string): string {
  const words = longestPlainRun(excerpt.trim().split(/\s+/).filter(Boolean))
  if (!words.length) return ''
  if (words.length <= 2 * WORDS_AT_EACH_END) return `text=${encoded(words)}`
  const [first, last] = [encoded(words.slice(0, WORDS_AT_EACH_END)), encoded(words.slice(-WORDS_AT_EACH_END))]
  return `text=${first},${last}&text=${first}`
}

/** A formula looks different on the page: the most words that stand between two of them. */
function longestPlainRun(words: string[]): string[] {
  let longest: string[] = []
  let start = 0
  for (let end = 1; end <= words.length; end += 1) {
    if (/[$\\]/.test(words[end - 1]!)) start = end
    else if (end - start > longest.length && (end === words.length || /[$\\]/.test(words[end]!)))
      longest = words.slice(start, end)
  }
  return longest
}

/** A dash has a meaning of its own in a text fragment. */
function encoded(words: string[]): string {
  return encodeURIComponent(words.join(' ')).replace(/-/g, '%2D')
}

/** The words that a text fragment names: the first and, where it has one, the last part. */
export function wordsOfFragment(address: string): [string, string?] | undefined {
  const named = /:~:text=([^&]*)/.exec(address)?.[1]
  if (!named) return undefined
  const parts = named.split(',').filter((part) => !part.endsWith('-') && !part.startsWith('-'))
  try {
    const [first, last] = parts.map(decodeURIComponent)
    return first ? ([first, ...(last ? [last] : [])] as [string, string?]) : undefined
  } catch {
    return undefined
  }
}
