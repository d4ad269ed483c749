/** The whole page: the chapters, the text and the chat, side by side where there is room, behind tabs where there is not. */
import { Book, type BookContents, type Mode } from '@citebook/client'
import { lazy, type ReactNode, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { AppBar, type Side } from './AppBar'
import { Chapters } from './Chapters'
import type { ChatHandle } from './ChatSide'
import { Failed, NoBook } from './Notices'
import { Reading } from './Reading'
import { goTo, useVisit } from './route'
import { useTheme } from './theme'
import { useLoaded } from './useLoaded'
import { useMedia } from './useMedia'

const ChatSide = lazy(() => import('./ChatSide'))

const book = new Book({ server: '' })

/** `?mode=ephemeral` keeps nothing: for shared computers, and for those who like it so. */
function modeOfAddress(): Mode {
  return new URLSearchParams(location.search).get('mode') === 'ephemeral' ? 'ephemeral' : 'persistent'
}

export function App({ opensChat }: { opensChat: boolean }): ReactNode {
  const [mode] = useState(modeOfAddress)
  const theme = useTheme(mode === 'persistent')
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

function OpenBook({ contents, mode, opensChat, bar }: OpenBookProps): ReactNode {
  const visit = useVisit()
  const isNarrow = useMedia('(max-width: 767.98px)')
  const isWide = useMedia('(min-width: 1200px)')
  const [side, setSide] = useState<Side>(opensChat && visit.place === null ? 'chat' : 'book')
  const [showsChapters, setShowsChapters] = useState(isWide)
  const chat = useRef<ChatHandle>(null)
  const first = contents.chapters[0]!
  const place = visit.place ?? (opensChat ? null : { chapter: first.id })
  const [passage, setPassage] = useState<{ text: string }>()

  useEffect(() => setShowsChapters(isWide), [isWide])
  useEffect(() => {
    if (visit.count === 0) return
    setSide(visit.place === null && opensChat ? 'chat' : 'book')
    if (!isWide) setShowsChapters(false)
  }, [visit, opensChat, isWide])

  const askAbout = useCallback((text: string) => {
    setSide('chat')
    setPassage({ text })
  }, [])
  useChatShortcut(
    useCallback(() => setSide('chat'), []),
    chat,
  )
  const loadPage = useCallback((id: string, signal: AbortSignal) => book.page(id, signal), [])
  const closeBook = useMemo(() => (opensChat ? () => goTo(null) : undefined), [opensChat])

  const showsBook = place !== null && (!isNarrow || side === 'book')
  const showsChat = !isNarrow || side === 'chat'
  return (
    <div
      className="app"
      data-reading={place !== null || undefined}
      data-chapters={(showsChapters && isWide) || undefined}
    >
      {showsBook && (
        <a className="skip" href="#reading" onClick={(event) => skipTo(event, 'reading')}>
          Skip to the text
        </a>
      )}
      {showsChat && (
        <a className="skip" href="#chat" onClick={(event) => skipTo(event, 'chat')}>
          Skip to the chat
        </a>
      )}
      <AppBar
        {...bar}
        isHeading={!showsBook}
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
          onClose={closeBook}
        />
      )}
      <div
        id="chat"
        className="chat-side cb"
        role={showsBook ? 'complementary' : 'main'}
        aria-label="Chat"
        data-theme={bar.theme.theme}
        hidden={!showsChat}
        tabIndex={-1}
      >
        <Suspense fallback={<p className="first-paint">Opening the chat…</p>}>
          <ChatSide ref={chat} contents={contents} mode={mode} passage={passage} />
        </Suspense>
      </div>
    </div>
  )
}

/** The address is taken by the route, so that a skip link cannot use it. */
function skipTo(event: { preventDefault(): void }, id: string): void {
  event.preventDefault()
  document.getElementById(id)?.focus()
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
