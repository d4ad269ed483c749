/** Finds an excerpt on a page, scrolls to it, marks it and puts the reader's focus there. */

import { findWords } from './matching'
import { blockAround, pageTextOf } from './pageText'
import { paint } from './painting'
import { scrollToRange, unfold } from './revealing'
import { withoutMarkup, withoutTex, wordsOf } from './words'

/** Said on the document when a range was marked. */
export const MARKED = 'citebook:marked'

let undo: (() => void) | null = null

/**
 * Returns what was marked; null where the page has nothing like the excerpt.
 * With `closing` words the excerpt is only how the passage begins, and these are how it ends.
 */
export function highlightExcerpt(root: ParentNode & Node, excerpt: string, closing?: string): Range | null {
  clearHighlight()
  const range = findExcerpt(root, excerpt, closing)
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

export function findExcerpt(root: ParentNode & Node, excerpt: string, closing = ''): Range | null {
  const page = pageTextOf(root)
  const words = wordsOf(page.text)
  const texts = words.map((word) => word.text)
  const match = findWords(texts, readingsOf(excerpt))
  if (match === null) return null
  const last = closing ? findWords(texts.slice(match.start), readingsOf(closing)) : null
  const start = words[match.start]!.start
  const end = words[Math.max(match.end, match.start + (last?.end ?? 0)) - 1]!.end
  // After a formula the sentence's full stop stands beyond an edge.
  const stop = /^(?:\n{0,2}[.!?…])?[.!?…:;)\]”’"'。！？」]{0,3}/.exec(page.text.slice(end, end + 6))![0]
  const [opening, ending] = [marksBefore(excerpt), marksAfter(closing || excerpt)]
  const begin = page.text.slice(0, start).endsWith(opening) ? start - opening.length : start
  const rest = page.text.startsWith(ending, end) ? ending.length : 0
  return page.rangeOf(begin, end + Math.max(stop.length, rest))
}

/** What stands before the first word without a space, such as a bracket of code. */
function marksBefore(excerpt: string): string {
  return /^\s*([^\p{L}\p{N}\p{M}\s]{0,20})/u.exec(excerpt)![1]!
}

function marksAfter(excerpt: string): string {
  return /([^\p{L}\p{N}\p{M}\s]{0,20})\s*$/u.exec(excerpt)![1]!
}

/** The words of an excerpt as the page may have them. */
function readingsOf(excerpt: string): string[][] {
  const plain = withoutMarkup(excerpt)
  return [excerpt, plain, withoutTex(plain)].map((text) => wordsOf(text).map((word) => word.text))
}

/** A screen reader goes on reading from the marked block; a keyboard goes on from there. The mark shows where that is. */
function focusOn(block: HTMLElement | null): () => void {
  if (block === null) return () => undefined
  const wasFocusable = block.hasAttribute('tabindex')
  const style = block.getAttribute('style')
  if (!wasFocusable) {
    block.setAttribute('tabindex', '-1')
    block.style.outline = 'none'
  }
  block.focus({ preventScroll: true })
  return () => {
    if (wasFocusable) return
    block.removeAttribute('tabindex')
    if (style === null) block.removeAttribute('style')
    else block.setAttribute('style', style)
  }
}
