/** The bar on top: the book's title, the button for the chapters, the theme, and on a narrow screen the two tabs. */
import type { ReactNode } from 'react'
import { Icon } from './icons'
import type { ThemeControl } from './theme'

export type Side = 'book' | 'chat'

interface AppBarProps {
  title: string
  theme: ThemeControl
  /** Where no chapter is shown, the book's title is the page's heading. */
  isHeading?: boolean
  search?: () => void
  chapters?: { areShown: boolean; toggle(): void }
  tabs?: { side: Side; show(side: Side): void; hasText: boolean; openText(): void }
}

const IS_APPLE = /Mac|iP(?:hone|ad|od)/.test(navigator.userAgent)
const THEME_NAMES = { auto: 'automatic', light: 'light', dark: 'dark' }

export function AppBar({ title, theme, isHeading, search, chapters, tabs }: AppBarProps): ReactNode {
  const themeLabel = `Theme: ${THEME_NAMES[theme.choice]}`
  return (
    <header className="app-bar">
      {chapters && (
        <button
          type="button"
          className="bar-button"
          aria-expanded={chapters.areShown}
          aria-controls="chapters"
          aria-label="Chapters"
          title="Chapters"
          onClick={chapters.toggle}
        >
          <Icon name="chapters" />
        </button>
      )}
      {isHeading ? <h1 className="book-title">{title}</h1> : <p className="book-title">{title}</p>}
      {search && (
        <button type="button" className="bar-search" aria-keyshortcuts="Control+K Meta+K /" onClick={search}>
          <Icon name="find" />
          <span>Search or ask</span>
          <kbd>{IS_APPLE ? '⌘ K' : 'Ctrl K'}</kbd>
        </button>
      )}
      {tabs && (
        <nav className="tabs" aria-label="Views">
          <button
            type="button"
            aria-current={tabs.side === 'book' ? 'page' : undefined}
            onClick={() => (tabs.hasText ? tabs.show('book') : tabs.openText())}
          >
            Book
          </button>
          <button
            type="button"
            aria-current={tabs.side === 'chat' ? 'page' : undefined}
            onClick={() => tabs.show('chat')}
          >
            Chat
          </button>
        </nav>
      )}
      <button type="button" className="bar-button" aria-label={themeLabel} title={themeLabel} onClick={theme.next}>
        <Icon name={theme.choice} />
      </button>
    </header>
  )
}
