/** The "Ask about this" bubble at text that the reader selects on the page, by mouse, keyboard or touch. */

const SHORTEST = 3
const SETTLE_MILLISECONDS = 200
const GAP = 8
/** The system's own selection menu is above the text on touch screens. */
const TOUCH_GAP = 24

export interface SelectionBubble {
  /** The text that is selected in the book right now, if any. */
  selectedText(): string | undefined
  destroy(): void
}

export function followSelection(
  bubble: HTMLElement,
  contentSelector: string,
  onAsk: (text: string) => void,
): SelectionBubble {
  let isTouch = false
  let timer: ReturnType<typeof setTimeout> | undefined

  const selectedText = (): string | undefined =>
    bookSelection(contentSelector) ? textOf(document.getSelection()) : undefined
  const hide = (): void => {
    bubble.hidden = true
  }
  const show = (): void => {
    const range = bookSelection(contentSelector)
    if (!range) return hide()
    bubble.hidden = false
    place(bubble, range.getBoundingClientRect(), isTouch)
  }
  const settle = (): void => {
    clearTimeout(timer)
    timer = setTimeout(show, SETTLE_MILLISECONDS)
  }
  const touched = (event: PointerEvent): void => {
    isTouch = event.pointerType === 'touch'
  }
  const ask = (): void => {
    const text = selectedText()
    hide()
    if (text) onAsk(text)
  }
  const keepSelection = (event: Event): void => event.preventDefault()

  document.addEventListener('selectionchange', settle)
  document.addEventListener('pointerdown', touched, { passive: true })
  document.addEventListener('scroll', hide, { passive: true, capture: true })
  bubble.addEventListener('pointerdown', keepSelection)
  bubble.addEventListener('mousedown', keepSelection)
  bubble.addEventListener('click', ask)
  return {
    selectedText,
    destroy() {
      clearTimeout(timer)
      document.removeEventListener('selectionchange', settle)
      document.removeEventListener('pointerdown', touched)
      document.removeEventListener('scroll', hide, { capture: true })
    },
  }
}

function textOf(selection: Selection | null): string {
  return selection?.toString().trim() ?? ''
}

/** The selected range, where it is text of the book and not of a form. */
function bookSelection(contentSelector: string): Range | undefined {
  const selection = document.getSelection()
  if (!selection || selection.isCollapsed || !selection.rangeCount) return undefined
  if (textOf(selection).length < SHORTEST) return undefined
  const range = selection.getRangeAt(0)
  const node = range.commonAncestorContainer
  const element = node instanceof Element ? node : node.parentElement
  if (!element || element.closest('input, textarea, [contenteditable=""], [contenteditable="true"]')) return undefined
  const isInBook = [...document.querySelectorAll(contentSelector)].some((content) => content.contains(node))
  return isInBook && !(element instanceof HTMLElement && element.tagName === 'CITEBOOK-CHAT') ? range : undefined
}

function place(bubble: HTMLElement, at: DOMRect, isTouch: boolean): void {
  const { offsetWidth: width, offsetHeight: height } = bubble
  const above = at.top - height - GAP
  const below = Math.min(at.bottom + (isTouch ? TOUCH_GAP : GAP), innerHeight - height - GAP)
  const left = Math.min(Math.max(at.left + at.width / 2 - width / 2, GAP), innerWidth - width - GAP)
  bubble.style.left = `${Math.round(left)}px`
  bubble.style.top = `${Math.round(isTouch || above < GAP ? below : above)}px`
}
