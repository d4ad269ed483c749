/** Makes the panel low while it would lie over a marked sentence, until the reader turns to the chat again. */
import { MARKED } from '../highlighting'

/** Words that end where the panel begins are hard to read, too. */
const NEAR_PIXELS = 12
const CITATION_LINKS = '.cb-chip, .cb-source, .cb-popover-go, .cb-faq-go'

/** `frame` is what the style goes by; returns how to stop. */
export function lowerPanelOverMarks(frame: HTMLElement, slot: HTMLElement): () => void {
  const marked = (event: Event): void => {
    const panel = slot.querySelector('.cb-panel')?.getBoundingClientRect()
    if (!panel?.width) return
    const places = [...(event as CustomEvent<Range>).detail.getClientRects()]
    frame.toggleAttribute(
      'data-low',
      places.some(({ left, right }) => left < panel.right + NEAR_PIXELS && right > panel.left - NEAR_PIXELS),
    )
  }
  const back = (event: Event): void => {
    // The next citation would only make it low again.
    const isCitation = event.target instanceof Element && event.target.closest(CITATION_LINKS)
    if (!isCitation) frame.removeAttribute('data-low')
  }
  document.addEventListener(MARKED, marked)
  slot.addEventListener('click', back)
  slot.addEventListener('input', back)
  return () => {
    document.removeEventListener(MARKED, marked)
    frame.removeAttribute('data-low')
  }
}
