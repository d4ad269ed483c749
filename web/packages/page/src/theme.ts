/** Light or dark: as the system says until the reader chooses. */
import { useEffect, useState } from 'react'

export type ThemeChoice = 'auto' | 'light' | 'dark'
export type Theme = 'light' | 'dark'

const KEY = 'citebook:theme'
const NEXT: Record<ThemeChoice, ThemeChoice> = { auto: 'light', light: 'dark', dark: 'auto' }

export interface ThemeControl {
  choice: ThemeChoice
  theme: Theme
  next(): void
}

/** `isKept`: whether the choice may be stored in the browser; otherwise it lasts as long as the page. */
export function useTheme(isKept: boolean): ThemeControl {
  const [choice, setChoice] = useState<ThemeChoice>(() => (isKept ? stored() : 'auto'))
  const [systemIsDark, setSystemIsDark] = useState(() => darkSystem()?.matches ?? false)
  useEffect(() => {
    const system = darkSystem()
    const update = (event: MediaQueryListEvent): void => setSystemIsDark(event.matches)
    system?.addEventListener('change', update)
    return () => system?.removeEventListener('change', update)
  }, [])
  const systemTheme = systemIsDark ? 'dark' : 'light'
  const theme = choice === 'auto' ? systemTheme : choice
  useEffect(() => {
    document.documentElement.dataset.theme = theme
  }, [theme])
  const next = (): void => {
    setChoice(NEXT[choice])
    if (isKept) store(NEXT[choice])
  }
  return { choice, theme, next }
}

function darkSystem(): MediaQueryList | undefined {
  return globalThis.matchMedia?.('(prefers-color-scheme: dark)')
}

function stored(): ThemeChoice {
  try {
    const kept = localStorage.getItem(KEY)
    return kept === 'light' || kept === 'dark' ? kept : 'auto'
  } catch {
    return 'auto'
  }
}

function store(choice: ThemeChoice): void {
  try {
    if (choice === 'auto') localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, choice)
  } catch {
    // Storage is switched off: the choice lasts as long as the page.
  }
}
