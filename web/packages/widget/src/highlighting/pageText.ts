/** The text of a page as one string, and the way back from a place in it to the page's text nodes. */

const BLOCKS = new Set(
  (
    'ADDRESS ARTICLE ASIDE BLOCKQUOTE BR DD DETAILS DIV DL DT FIGCAPTION FIGURE FOOTER H1 H2 H3 H4 H5 H6 HEADER HR LI MAIN NAV OL P PRE ' +
    'SECTION SUMMARY TABLE TBODY TD TFOOT TH THEAD TR UL'
  ).split(' '),
)
/** Not the book's words: controls, what only machines read, and the second form of a formula. */
const SKIPPED =
  'script, style, noscript, template, button, select, textarea, nav, annotation, annotation-xml, .katex-html, .hash-link, [data-citebook-skip]'

export interface PageText {
  text: string
  rangeOf(start: number, end: number): Range
}

export function pageTextOf(root: ParentNode): PageText {
  const nodes: Text[] = []
  const starts: number[] = []
  let text = ''
  const add = (node: Node): void => {
    if (node instanceof Text && node.length > 0) {
      nodes.push(node)
      starts.push(text.length)
      text += node.data
    }
  }
  walk(root, add, () => {
    text += '\n'
  })
  const placeOf = (offset: number): [Text, number] => {
    const index = lastAtMost(starts, offset)
    return [nodes[index]!, Math.min(offset - starts[index]!, nodes[index]!.length)]
  }
  return {
    text,
    rangeOf(start, end) {
      const range = document.createRange()
      range.setStart(...placeOf(start))
      const [node, offset] = placeOf(end - 1)
      range.setEnd(node, offset + 1)
      return range
    },
  }
}

function walk(root: ParentNode, onText: (node: Node) => void, onEdge: () => void): void {
  const filter = (node: Node): number =>
    node instanceof Element && node.matches(SKIPPED) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, filter)
  let block: Element | null = null
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (node instanceof Element) {
      if (BLOCKS.has(node.tagName) || isMathToken(node)) onEdge()
      continue
    }
    const around = partAround(node)
    if (around !== block) onEdge()
    block = around
    onText(node)
  }
}

/** Numbers and letters of a formula stand side by side without a space, and are words of their own. */
function isMathToken(element: Element): boolean {
  return /^m(i|n|o|text)$/.test(element.localName)
}

function partAround(node: Node): Element | null {
  let element = node.parentElement
  while (element && !BLOCKS.has(element.tagName) && !isMathToken(element)) element = element.parentElement
  return element
}

/** The paragraph, list item, cell or listing that a node stands in. */
export function blockAround(node: Node): HTMLElement | null {
  let element = node.parentElement
  while (element && !BLOCKS.has(element.tagName)) element = element.parentElement
  return element
}

function lastAtMost(sorted: readonly number[], maximum: number): number {
  let [low, high] = [0, sorted.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (sorted[middle]! <= maximum) low = middle
    else high = middle - 1
  }
  return low
}
