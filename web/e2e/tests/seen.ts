/** What a reader sees of blocks, character by character: of an answer, of an excerpt, and of the book's own page. */
import type { Locator } from '@playwright/test'

export interface Seen {
  /** Listings, with every line break and space. */
  code: string[]
  /** Rows of cells; the header is a row. Formulas are their TeX in dollars. */
  tables: string[][][]
  /** Formulas that stand by themselves, as TeX. */
  formulas: string[]
  /** Lists, each as its items with the words of inner ones. */
  lists: string[][]
  /** Paragraphs outside of tables, lists and listings, and titles of listings and of what is folded. */
  prose: string[]
}

/** Of the blocks in an element: our own and those of a Docusaurus site, whose formulas are drawn by KaTeX. */
export function seenIn(element: Locator): Promise<Seen> {
  return element.evaluate((root) => {
    const FORMULA = '.katex, math'
    const DISPLAY = '.katex-display, .cb-formula'
    const NOT_TOLD = '.cb-chip, .cb-code-bar, .hash-link, button, nav, [class*=buttonGroup]'
    const texOf = (formula: Element): string =>
      formula.querySelector('annotation[encoding="application/x-tex"]')?.textContent ?? ''
    const words = (node: Node): string => {
      if (node instanceof Text) return node.data
      if (!(node instanceof Element) || node.matches(NOT_TOLD)) return ''
      if (node.matches(FORMULA)) return `$${texOf(node)}$`
      return [...node.childNodes].map(words).join('')
    }
    // As a browser shows it: white space in running text is one space, whatever is in the source.
    const line = (node: Node): string =>
      words(node)
        .replace(/[\t\n\r ]+/g, ' ')
        .trim()
    const listing = (pre: Element): string => {
      const lines = [...pre.querySelectorAll('.token-line')]
      return lines.length ? lines.map((each) => each.textContent).join('\n') : (pre.textContent ?? '')
    }
    const all = (selector: string): Element[] =>
      [...root.querySelectorAll(selector)].filter((each) => !each.closest('details.outline, nav, footer'))
    const isProse = (each: Element): boolean =>
      !each.closest('table, pre, li') && !each.classList.contains('cb-tail') && !each.querySelector(DISPLAY)
    return {
      code: all('pre').map(listing),
      tables: all('table').map((table) =>
        [...table.querySelectorAll('tr')].map((row) => [...row.querySelectorAll('th, td')].map(line)),
      ),
      formulas: all(DISPLAY).map(texOf),
      lists: all('ul, ol').map((list) => [...list.children].filter(({ tagName }) => tagName === 'LI').map(line)),
      prose: all('p, summary, [class*=codeBlockTitle]').filter(isProse).map(line).filter(Boolean),
    }
  })
}

/** What one shows that the other does not show to the letter; empty where all of it stands there. */
export function missingFrom(page: Seen, shown: Seen): string[] {
  const running = [...page.prose, ...page.lists.flat()]
  return [
    ...shown.code.filter((listing) => !page.code.some((whole) => holdsLines(whole, listing))),
    ...shown.formulas.filter((tex) => !page.formulas.includes(tex)),
    ...shown.tables.filter((table) => !page.tables.some((whole) => holdsRows(whole, table))).map(String),
    ...shown.lists.filter((items) => !page.lists.some((whole) => holdsItems(whole, items))).map(String),
    ...shown.prose.filter((text) => text !== '…' && !running.some((whole) => whole.includes(text))),
  ]
}

/** Trailing line breaks are not seen. */
function holdsLines(whole: string, part: string): boolean {
  return `\n${whole.trimEnd()}\n`.includes(`\n${part.trimEnd()}\n`)
}

/** The header comes with the rows that are shown. */
function holdsRows(whole: string[][], part: string[][]): boolean {
  const rows = whole.map((row) => JSON.stringify(row))
  const places = part.map((row) => rows.indexOf(JSON.stringify(row)))
  return places[0] === 0 && places.every((place, index) => index === 0 || place > places[index - 1]!)
}

/** Neighbours in the same order; the last may be cut off between two sentences. */
function holdsItems(whole: string[], part: string[]): boolean {
  const start = whole.findIndex((item) => item.includes(part[0]!))
  return start >= 0 && part.every((item, index) => whole[start + index]?.includes(item))
}
