/** Keeps Tab inside what covers the rest: a panel over the whole screen, or a question that must be answered. */
import type { KeyboardEvent } from 'react'

const FOCUSABLE =
  'a[href], button:not([disabled]), textarea:not([disabled]), select, input:not([disabled]), summary, [tabindex="0"]'

export function keepFocusWithin(panel: HTMLElement, event: KeyboardEvent): void {
  if (event.key !== 'Tab') return
  const inside = [...panel.querySelectorAll<HTMLElement>(FOCUSABLE)].filter(
    (element) => element.tabIndex >= 0 && element.getClientRects().length > 0,
  )
  const [first, last] = [inside[0], inside.at(-1)]
  const focused = (panel.getRootNode() as Document | ShadowRoot).activeElement
  const [edge, target] = event.shiftKey ? [first, last] : [last, first]
  if (focused !== edge || !target) return
  event.preventDefault()
  target.focus()
}
