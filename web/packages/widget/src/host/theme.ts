/** Light or dark: what the site was told, else what its page says, else what the reader's system says. */
import type { ThemeChoice } from './options'

export type Theme = 'light' | 'dark'

/** Calls with the theme now and whenever it changes; returns how to stop that. */
export function followTheme(choice: ThemeChoice, apply: (theme: Theme) => void): () => void {
  const system = globalThis.matchMedia?.('(prefers-color-scheme: dark)')
  const update = (): void =>
    apply(choice === 'auto' ? (themeOfPage() ?? (system?.matches ? 'dark' : 'light')) : choice)
  update()
  if (choice !== 'auto') return () => undefined
  const observer = new MutationObserver(update)
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
  system?.addEventListener('change', update)
  return () => {
    observer.disconnect()
    system?.removeEventListener('change', update)
  }
}

function themeOfPage(): Theme | undefined {
  const theme = document.documentElement.dataset.theme
  return theme === 'light' || theme === 'dark' ? theme : undefined
}
