/** Finds an excerpt on a page, scrolls to it, marks it and puts the reader's focus there. */

import { findWords } from './matching'
import { blockAround, pageTextOf } from './pageText'
import { paint } from './painting'
import { scrollToRange, unfold } from './revealing'
import { withoutMarkup, withoutTex, wordsOf } from './words'

/** Said on the document when a range was marked. */
export const MARKED = 'citebook:marked'

let undo: (() => void) | null = null

/** Returns what was marked; null where the page has nothing like the excerpt. */
export function highlightExcerpt(root: ParentNode & Node, excerpt: string): Range | null {
  clearHighlight()
  const range = findExcerpt(root, excerpt)
  if (range === null) return null
  unfold(range)
  const unpaint = paint(range)
  const unfocus = focusOn(blockAround(range.startContainer))
  const stopScrolling = scrollToRange(range)
  document.dispatchEvent(new CustomEvent(MARKED, { detail: range }))
  undo = () => {
    stopScrolling()
    unpaint()
    unfocus()
  }
  return range
}

export function clearHighlight(): void {
  undo?.()
  undo = null
}

export function findExcerpt(root: ParentNode & Node, excerpt: string): Range | null {
  const page = pageTextOf(root)
  const words = wordsOf(page.text)
  const texts = words.map((word) => word.text)
  const plain = withoutMarkup(excerpt)
  const match = findWords(texts, [excerpt, plain, withoutTex(plain)].map(textsOf))
  if (match === null) return null
  const end = words[match.end - 1]!.end
  // After a formula the sentence's full stop stands beyond an edge.
  const closing = /^(?:\n{0,2}[.!?…])?[.!?…:;)\]”’"'。！？」]{0,3}/.exec(page.text.slice(end, end + 6))![0]
  return page.rangeOf(words[match.start]!.start, end + closing.length)
}

function textsOf(text: string): string[] {
  return wordsOf(text).map((word) => word.text)
}

/** A screen reader goes on reading from the marked block; a keyboard goes on from there. */
function focusOn(block: HTMLElement | null): () => void {
  if (block === null) return () => undefined
  const wasFocusable = block.hasAttribute('tabindex')
  if (!wasFocusable) block.setAttribute('tabindex', '-1')
  block.focus({ preventScroll: true })
  return () => {
    if (!wasFocusable) block.removeAttribute('tabindex')
  }
}
