/** On a phone, Back closes what lies over the page, and leaves the reader on it. */
import { useCallback, useEffect, useRef } from 'react'
import { isNarrow } from './useIsNarrow'

/** Marks the entry of the browser's history that Back takes away. */
const ENTRY = 'citebookOver'

/** Returns how to go elsewhere from there: once the entry is gone, so that Back leads to the page and not to it twice. */
export function useBackCloses(onClose: () => void): (then: () => void) => void {
  const close = useRef(onClose)
  close.current = onClose
  const next = useRef<(() => void) | null>(null)
  useEffect(() => {
    if (!isNarrow()) return
    history.pushState({ ...history.state, [ENTRY]: true }, '')
    const moved = (event: PopStateEvent): void => {
      if (isOver(event.state)) return
      // The page is the same: its own router would only scroll it to the top.
      event.stopImmediatePropagation()
      // The browser puts the page where it was scrolled to before anything may scroll it elsewhere.
      setTimeout(next.current ?? close.current)
    }
    addEventListener('popstate', moved, { capture: true })
    return () => {
      removeEventListener('popstate', moved, { capture: true })
      if (isOver(history.state)) stepBack()
    }
  }, [])
  return useCallback((then) => {
    if (!isOver(history.state)) return then()
    next.current = then
    history.back()
  }, [])
}

function isOver(state: unknown): boolean {
  return typeof state === 'object' && state !== null && ENTRY in state
}

/** Closed by other means: nobody but us is to hear of it. */
function stepBack(): void {
  addEventListener('popstate', (event) => event.stopImmediatePropagation(), { capture: true, once: true })
  history.back()
}
