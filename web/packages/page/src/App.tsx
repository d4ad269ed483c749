/** The whole page: the chapters, the text and the chat, side by side where there is room, behind tabs where there is not. */
import { Book, type BookContents, type BookPage, type Mode } from '@citebook/client'
import { isSearchKey } from '@citebook/widget'
import { lazy, type MouseEvent, type ReactNode, Suspense, useCallback, useEffect, useRef, useState } from 'react'
import { AppBar, type Side } from './AppBar'
import { Chapters } from './Chapters'
import type { ChatHandle } from './ChatSide'
import { Failed, NoBook } from './Notices'
import { Reading } from './Reading'
import { goTo, useVisit, type Visit } from './route'
import { type Theme, useTheme } from './theme'
import { useLoaded } from './useLoaded'
import { useMedia } from './useMedia'

const ChatSide = lazy(() => import('./ChatSide'))

const book = new Book({ server: '' })
const loadPage = (id: string, signal: AbortSignal): Promise<BookPage> => book.page(id, signal)

/** `?mode=ephemeral` keeps nothing, for shared computers; `?mode=persistent` lets the server keep what is said. */
function modeOfAddress(): Mode {
  const named = new URLSearchParams(location.search).get('mode')
  return named === 'ephemeral' || named === 'persistent' ? named : 'tab'
}

export function App({ opensChat }: { opensChat: boolean }): ReactNode {
  const [mode] = useState(modeOfAddress)
  const theme = useTheme(mode !== 'ephemeral')
  const loadContents = useCallback((signal: AbortSignal) => book.contents(signal), [])
  const contents = useLoaded('contents', loadContents)
  useEffect(() => {
    if (contents.state === 'there') document.title = contents.value.title
  }, [contents])

  const bar = { theme, title: contents.state === 'there' ? contents.value.title : 'Citebook' }
  if (contents.state === 'loading') {
    return (
      <div className="app">
        <AppBar {...bar} />
        <p className="first-paint" role="status">
          Opening the book…
        </p>
      </div>
    )
  }
  if (contents.state === 'failed' || contents.value.chapters.length === 0) {
    return (
      <div className="app">
        <AppBar {...bar} />
        <main className="notice-page">
          {contents.state === 'failed' ? <Failed what="The book" failure={contents} /> : <NoBook />}
        </main>
      </div>
    )
  }
  return <OpenBook contents={contents.value} mode={mode} opensChat={opensChat} bar={bar} />
}

interface OpenBookProps {
  contents: BookContents
  mode: Mode
  opensChat: boolean
  bar: Parameters<typeof AppBar>[0]
}

const closeBook = (): void => goTo(null)

function OpenBook({ contents, mode, opensChat, bar }: OpenBookProps): ReactNode {
  const visit = useVisit()
  const isNarrow = useMedia('(max-width: 767.98px)')
  const isWide = useMedia('(min-width: 1200px)')
  const { side, setSide, showsChapters, setShowsChapters } = useSides(visit, opensChat, isWide)
  const chat = useRef<ChatHandle>(null)
  const first = contents.chapters[0]!
  const place = visit.place ?? (opensChat ? null : { chapter: first.id })
  const [passage, setPassage] = useState<{ text: string }>()

  const askAbout = useCallback(
    (text: string) => {
      setSide('chat')
      setPassage({ text })
    },
    [setSide],
  )
  const showChat = useCallback(() => setSide('chat'), [setSide])
  useChatShortcut(showChat, chat)
  const { searches, search } = useSearches()

  const showsBook = place !== null && (!isNarrow || side === 'book')
  const showsChat = !isNarrow || side === 'chat'
  return (
    <div
      className="app"
      data-reading={place !== null || undefined}
      data-chapters={(showsChapters && isWide) || undefined}
    >
      <SkipLinks showsBook={showsBook} showsChat={showsChat} />
      <AppBar
        {...bar}
        isHeading={!showsBook}
        search={search}
        chapters={{ areShown: showsChapters, toggle: () => setShowsChapters(!showsChapters) }}
        {...(isNarrow
          ? { tabs: { side, show: setSide, hasText: place !== null, openText: () => goTo({ chapter: first.id }) } }
          : {})}
      />
      <Chapters
        contents={contents}
        current={place?.chapter}
        isShown={showsChapters}
        isDrawer={!isWide}
        onClose={() => setShowsChapters(false)}
      />
      {place !== null && (
        <Reading
          key={place.chapter}
          place={place}
          visit={visit}
          isShown={showsBook}
          load={loadPage}
          onAsk={askAbout}
          onClose={opensChat ? closeBook : undefined}
          language={contents.language}
        />
      )}
      <ChatColumn role={showsBook ? 'complementary' : 'main'} theme={bar.theme.theme} isShown={showsChat}>
        <ChatSide
          ref={chat}
          contents={contents}
          mode={mode}
          passage={passage}
          chapter={place?.chapter}
          theme={bar.theme.theme}
          searches={searches}
          onAsked={showChat}
        />
      </ChatColumn>
    </div>
  )
}

/** What is shown beside the text, or in its place: each visit may change it. */
function useSides(visit: Visit, opensChat: boolean, isWide: boolean) {
  const [side, setSide] = useState<Side>(opensChat && visit.place === null ? 'chat' : 'book')
  const [showsChapters, setShowsChapters] = useState(isWide)
  useEffect(() => setShowsChapters(isWide), [isWide])
  useEffect(() => {
    if (visit.count === 0) return
    setSide(sideOf(visit, opensChat))
    if (!isWide) setShowsChapters(false)
  }, [visit, opensChat, isWide])
  useEffect(() => noteSide(side), [side])
  return { side, setSide, showsChapters, setShowsChapters }
}

function sideOf({ place, isReturn }: Visit, opensChat: boolean): Side {
  return (place === null && opensChat) || (isReturn && wasAtChat()) ? 'chat' : 'book'
}

/** With the entry of the browser's history, so that Back leads to the side that a reader came from. */
function noteSide(side: Side): void {
  history.replaceState({ ...history.state, side }, '')
}

function wasAtChat(): boolean {
  return (history.state as { side?: Side } | null)?.side === 'chat'
}

interface ChatColumnProps {
  role: 'complementary' | 'main'
  theme: Theme
  isShown: boolean
  children: ReactNode
}

function ChatColumn({ role, theme, isShown, children }: ChatColumnProps): ReactNode {
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: both of its roles may be named.
    <div
      id="chat"
      className="chat-side cb"
      role={role}
      aria-label="Chat"
      data-theme={theme}
      hidden={!isShown}
      tabIndex={-1}
    >
      <Suspense fallback={<p className="first-paint">Opening the chat…</p>}>{children}</Suspense>
    </div>
  )
}

function SkipLinks({ showsBook, showsChat }: { showsBook: boolean; showsChat: boolean }): ReactNode {
  return (
    <>
      {showsBook && <SkipLink to="reading">Skip to the text</SkipLink>}
      {showsChat && <SkipLink to="chat">Skip to the chat</SkipLink>}
    </>
  )
}

function SkipLink({ to, children }: { to: string; children: string }): ReactNode {
  const skip = (event: MouseEvent): void => {
    event.preventDefault()
    document.getElementById(to)?.focus()
  }
  return (
    // The link is followed by hand: the page's address belongs to the route.
    <a className="skip" href={`#${to}`} onClick={skip}>
      {children}
    </a>
  )
}

const SEARCH_KEYS = ['mod+k', '/']

/** How often the reader wanted to search, by the keys or by the button. */
function useSearches(): { searches: number; search: () => void } {
  const [searches, setSearches] = useState(0)
  const search = useCallback(() => setSearches((count) => count + 1), [])
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if (!isSearchKey(event, SEARCH_KEYS)) return
      event.preventDefault()
      search()
    }
    addEventListener('keydown', pressed)
    return () => removeEventListener('keydown', pressed)
  }, [search])
  return { searches, search }
}

/** Ctrl+I or ⌘I: to the question. */
function useChatShortcut(showChat: () => void, chat: React.RefObject<ChatHandle | null>): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      const isShortcut =
        (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 'i'
      if (!isShortcut) return
      event.preventDefault()
      showChat()
      requestAnimationFrame(() => chat.current?.focusInput())
    }
    addEventListener('keydown', pressed)
    return () => removeEventListener('keydown', pressed)
  }, [showChat, chat])
}
