/** Where a citation leads: only into the book, and there to its words. */
import { type Citation, quoteOf } from '@citebook/client'

const WORDS_AT_EACH_END = 5
/** Fewer may stand anywhere, unless they are as long as the name of a file. */
const FEWEST_WORDS = 3
const FEWEST_CHARACTERS = 20
/** A formula with the characters that touch it, or where a cell or a block ends. */
const FORMULA_OR_EDGE = /[^\s$]*\$[^$\n]{1,400}\$[^\s$]*|\S*[$\\]\S*|\s\|\s|\n/

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
  const fragment = textFragment(quoteOf(citation))
  return fragment ? `${url.href}${url.hash ? '' : '#'}:~:${fragment}` : url.href
}

/** `text=first words,last words`, and the first words alone in case the last are not found; a short excerpt whole. */
export function textFragment(excerpt: string): string {
  const runs = plainRuns(excerpt)
  const isLong = (words: string[]): boolean =>
    words.length >= FEWEST_WORDS || words.join(' ').length >= FEWEST_CHARACTERS
  const [opening, closing] = [runs.find(isLong) ?? longestOf(runs), runs.findLast(isLong) ?? longestOf(runs)]
  if (!opening || !closing) return ''
  if (opening === closing && opening.length <= 2 * WORDS_AT_EACH_END) return `text=${encoded(opening)}`
  const [first, last] = [encoded(opening.slice(0, WORDS_AT_EACH_END)), encoded(closing.slice(-WORDS_AT_EACH_END))]
  return `text=${first},${last}&text=${first}`
}

/** Words that stand side by side on the page, too: between formulas, cells of a table, and lines. */
function plainRuns(excerpt: string): string[][] {
  return excerpt
    .split(FORMULA_OR_EDGE)
    .map((run) => run.split(/\s+/).filter(Boolean))
    .filter((words) => words.length > 0)
}

function longestOf(runs: string[][]): string[] | undefined {
  return runs.reduce<string[] | undefined>((best, run) => (run.length > (best?.length ?? 0) ? run : best), undefined)
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
