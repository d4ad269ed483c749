/** The element that the whole chat stands in, for those of its parts that must look beyond themselves. */
import { createContext, type RefObject, useContext } from 'react'

export const SurfaceContext = createContext<RefObject<HTMLElement | null> | null>(null)

/** Puts the focus into the input: called by buttons that vanish when they are pressed. */
export function useInputFocus(): () => void {
  const surface = useContext(SurfaceContext)
  return () => surface?.current?.querySelector<HTMLElement>('.cb-input')?.focus({ preventScroll: true })
}
