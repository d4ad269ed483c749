/** The text of a page as one string, and the way back from a place in it to the page's nodes. */

const BLOCKS = new Set(
  (
    'ADDRESS ARTICLE ASIDE BLOCKQUOTE BR DD DETAILS DIV DL DT FIGCAPTION FIGURE FOOTER H1 H2 H3 H4 H5 H6 HEADER HR LI MAIN NAV OL P PRE ' +
    'SECTION SUMMARY TABLE TBODY TD TFOOT TH THEAD TR UL'
  ).split(' '),
)
/** Not the book's words: controls, what only machines read, and the second form of a formula. */
const SKIPPED =
  'script, style, noscript, template, button, select, textarea, nav, annotation, annotation-xml, .katex-html, .hash-link, [data-citebook-skip]'
const FORMULA = '.katex, math'
const FORMULA_SOURCE = 'annotation[encoding="application/x-tex"]'

export interface PageText {
  text: string
  rangeOf(start: number, end: number): Range
}

/** A stretch of the text: a text node, or a formula, which stands there as its source. */
interface Piece {
  node: Text | Element
  start: number
  length: number
}

export function pageTextOf(root: ParentNode & Node): PageText {
  const pieces: Piece[] = []
  let text = ''
  const add = (node: Text | Element, said: string): void => {
    if (said) pieces.push({ node, start: text.length, length: said.length })
    text += said
  }
  const addEdge = (): void => {
    text += '\n'
  }
  walk(root, add, addEdge)
  const pieceAt = (place: number): Piece => pieces[lastAtMost(pieces, place)]!
  return {
    text,
    rangeOf(start, end) {
      const range = document.createRange()
      begin(range, pieceAt(start), start)
      finish(range, pieceAt(end - 1), end)
      return range
    },
  }
}

function begin(range: Range, { node, start, length }: Piece, place: number): void {
  if (node instanceof Element) range.setStartBefore(node)
  else range.setStart(node, Math.min(place - start, length))
}

function finish(range: Range, { node, start, length }: Piece, place: number): void {
  if (node instanceof Element) range.setEndAfter(node)
  else range.setEnd(node, Math.min(place - start, length))
}

function walk(node: Node, add: (node: Text | Element, said: string) => void, addEdge: () => void): void {
  if (node instanceof Text) return add(node, node.data)
  if (node instanceof Element && node.matches(SKIPPED)) return
  const source = node instanceof Element ? sourceOf(node) : undefined
  const standsAlone =
    node instanceof Element && (BLOCKS.has(node.tagName) || isMathToken(node) || source !== undefined)
  if (standsAlone) addEdge()
  if (source !== undefined) add(node as Element, source)
  else for (const child of node.childNodes) walk(child, add, addEdge)
  if (standsAlone) addEdge()
}

/** What a formula was written as, where the page tells it. */
function sourceOf(element: Element): string | undefined {
  if (!element.matches(FORMULA)) return undefined
  return element.querySelector(FORMULA_SOURCE)?.textContent ?? undefined
}

/** Numbers and letters of a formula stand side by side without a space, and are words of their own. */
function isMathToken(element: Element): boolean {
  return /^m(i|n|o|text)$/.test(element.localName)
}

/** The paragraph, list item, cell or listing that a node stands in. */
export function blockAround(node: Node): HTMLElement | null {
  let element = node instanceof HTMLElement ? node : node.parentElement
  while (element && !BLOCKS.has(element.tagName)) element = element.parentElement
  return element
}

function lastAtMost(pieces: readonly Piece[], place: number): number {
  let [low, high] = [0, pieces.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (pieces[middle]!.start <= place) low = middle
    else high = middle - 1
  }
  return low
}
