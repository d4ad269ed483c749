/** Whether the window is too narrow for a panel beside the page. */
import { useSyncExternalStore } from 'react'

export const NARROW = '(max-width: 767.98px)'

export function isNarrow(): boolean {
  return globalThis.matchMedia?.(NARROW).matches ?? false
}

export function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribe, isNarrow, () => false)
}

function subscribe(listener: () => void): () => void {
  const media = globalThis.matchMedia?.(NARROW)
  media?.addEventListener('change', listener)
  return () => media?.removeEventListener('change', listener)
}
