/** Makes room for a panel at the side of a wide window, so that it lies over nothing. */
import { useEffect, useSyncExternalStore } from 'react'

/** The least width of a window in which a page and a panel can stand side by side. */
const WIDE = '(min-width: 1280px)'

export function useIsWide(): boolean {
  return useSyncExternalStore(subscribe, isWide, () => false)
}

/** While it is docked, the page ends where the panel begins. */
export function useRoomForPanel(isDocked: boolean, side: 'left' | 'right', width: number): void {
  useEffect(() => {
    if (!isDocked) return
    const { style } = document.documentElement
    const margin = side === 'left' ? 'marginLeft' : 'marginRight'
    const before = style[margin]
    style[margin] = `${width}px`
    return () => {
      style[margin] = before
    }
  }, [isDocked, side, width])
}

function isWide(): boolean {
  return globalThis.matchMedia?.(WIDE).matches ?? false
}

function subscribe(listener: () => void): () => void {
  const media = globalThis.matchMedia?.(WIDE)
  media?.addEventListener('change', listener)
  return () => media?.removeEventListener('change', listener)
}
