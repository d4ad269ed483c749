/** Brings a range into view: unfolds what hides it and scrolls to it. */

/** Where the first line of a short passage is put, as a share of the height: above the middle. */
const PLACE = 0.3
/** Higher up it may be under a sticky header, further down under the chat. */
const SEEN_FROM = 0.15
const SEEN_TO = 0.5
/** Boxes unfold, formulas and pictures get their size: the place is looked at again so long after. */
const LOOKS_MS = [400, 1000, 2000]
/** What has not moved for so long is at rest. */
const REST_MS = 60

/** Opens folded boxes and hidden tabs around the range. */
export function unfold(range: Range): void {
  for (let element = firstElementOf(range); element !== null; element = element.parentElement) {
    if (element instanceof HTMLDetailsElement && (!element.open || element.dataset.collapsed === 'true')) {
      // A site's own folding box must hear of it, or it would stay shut inside.
      if (element.dataset.collapsed === 'true') element.querySelector('summary')?.click()
      else element.open = true
    } else if (element.hidden && element.getAttribute('role') === 'tabpanel') {
      tabOf(element)?.click()
    }
  }
}

function firstElementOf({ startContainer }: Range): HTMLElement | null {
  return startContainer instanceof HTMLElement ? startContainer : startContainer.parentElement
}

function tabOf(panel: HTMLElement): HTMLElement | null {
  const named = panel.getAttribute('aria-labelledby')
  if (named) return document.getElementById(named)
  const panels = [...(panel.parentElement?.children ?? [])].filter((each) => each.getAttribute('role') === 'tabpanel')
  const tabs = panel.parentElement?.parentElement?.querySelectorAll<HTMLElement>('[role=tab]')
  return tabs?.[panels.indexOf(panel)] ?? null
}

/** Scrolls now, and again where the page moves on its own; returns how to stop that. A reader who scrolls stops it too. */
export function scrollToRange(range: Range): () => void {
  scroll(range)
  const timers = LOOKS_MS.map((milliseconds) =>
    setTimeout(() => {
      const before = topOf(range)
      // A scroll that is still under way is let go on: stopped and begun anew it would halt until the next look.
      timers.push(setTimeout(() => topOf(range) === before && scroll(range), REST_MS))
    }, milliseconds),
  )
  const stop = (): void => {
    timers.forEach(clearTimeout)
    for (const name of READERS_MOVES) removeEventListener(name, stop, { capture: true })
  }
  for (const name of READERS_MOVES) addEventListener(name, stop, { capture: true, passive: true })
  return stop
}

function topOf(range: Range): number | undefined {
  return range.getBoundingClientRect?.().top
}

const READERS_MOVES = ['wheel', 'touchmove', 'pointerdown', 'keydown']

function scroll(range: Range): void {
  if (!range.getBoundingClientRect) return
  const isCalm = globalThis.matchMedia?.('(prefers-reduced-motion: reduce)').matches
  scrollSideways(range)
  const container = scrollerOf(range)
  const scroller = container ?? document.scrollingElement ?? document.documentElement
  // A scroll that is still under way to another place would carry the reader off again.
  scroller.scrollTo({ top: scroller.scrollTop, behavior: 'instant' })
  const { top, height } = container === null ? { top: 0, height: innerHeight } : container.getBoundingClientRect()
  const place = range.getBoundingClientRect()
  const [above, below] = [place.top - top, place.bottom - top]
  if (above > height * SEEN_FROM && below < height * SEEN_TO) return
  const wanted = height * placeFor(place.height / height)
  scroller.scrollTo({ top: scroller.scrollTop + above - wanted, behavior: isCalm ? 'instant' : 'smooth' })
}

/** The longer a passage, the higher up it begins, so that as much as can be is seen of it. */
function placeFor(share: number): number {
  return Math.max(SEEN_FROM, Math.min(PLACE, SEEN_TO - share))
}

/** A wide table or listing is moved so that the range's first words are seen. */
function scrollSideways(range: Range): void {
  for (let element = firstElementOf(range); element !== null; element = element.parentElement) {
    if (element.scrollWidth <= element.clientWidth || !/auto|scroll/.test(getComputedStyle(element).overflowX))
      continue
    const [place, box] = [range.getClientRects()[0] ?? range.getBoundingClientRect(), element.getBoundingClientRect()]
    if (place.left < box.left || place.right > box.right)
      element.scrollLeft += place.left - box.left - box.width * 0.1
  }
}

/** The nearest element around the range that scrolls up and down; null for the page itself. */
function scrollerOf(range: Range): Element | null {
  for (let element = firstElementOf(range); element !== null; element = element.parentElement) {
    if (element === document.body || element === document.documentElement) return null
    if (element.scrollHeight > element.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(element).overflowY))
      return element
  }
  return null
}
