/** The chat beside the book: citations open in the reading view. */
import { Book, type BookContents, type Citation, choicesOf, type Mode, quoteOf, transportFor } from '@citebook/client'
import {
  announceAnswers,
  announcer,
  type Chat,
  ChatContext,
  ChatSurface,
  createChatStore,
  directionOf,
  english,
  languageOf,
  onceVisited,
  pageOf,
  SearchBox,
  takeSharedQuestion,
  WordsContext,
  type WordsOfChat,
  wordsIn,
} from '@citebook/widget'
import '../../widget/src/chat.css'
import {
  forwardRef,
  type ReactNode,
  useCallback,
  useEffect,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
} from 'react'
import { createPortal } from 'react-dom'
import { HereOnPage } from './here'
import { goTo, hashOf, type Place, quotedAt } from './route'
import type { Theme } from './theme'

interface ChatSideProps {
  contents: BookContents
  mode: Mode
  /** Text of the book that the reader wants to ask about; a new object each time. */
  passage: { text: string } | undefined
  /** The chapter that is shown. */
  chapter: string | undefined
  theme: Theme
  /** Counts up whenever the reader wants to search. */
  searches: number
  /** Something was asked from elsewhere: the reader is to see the answer. */
  onAsked: () => void
}

export interface ChatHandle {
  focusInput(): void
}

export default forwardRef<ChatHandle, ChatSideProps>(function ChatSide(
  { contents, mode, passage, chapter, theme, searches, onAsked },
  handle,
): ReactNode {
  const frame = useRef<HTMLElement>(null)
  const [isSearching, setIsSearching] = useState(false)
  const here = useMemo(() => new HereOnPage(), [])
  const chat = useMemo(() => ({ ...chatOf(contents, mode), here }), [contents, mode, here])
  const language = languageOf(contents.language)
  const words = useWordsIn(language)
  const focusInput = useCallback(() => frame.current?.querySelector<HTMLElement>('.cb-input')?.focus(), [])
  useImperativeHandle(handle, () => ({ focusInput }), [focusInput])
  useConversation(chat, onAsked)
  useEffect(() => {
    const entry = contents.chapters.find(({ id }) => id === chapter)
    here.move(entry && pageOf(entry))
  }, [here, contents, chapter])
  useEffect(() => setIsSearching(searches > 0), [searches])
  const ask = (question: string): void => {
    onAsked()
    chat.store.actions.ask(question)
    requestAnimationFrame(focusInput)
  }
  useEffect(() => {
    if (!passage) return
    chat.store.actions.setPassage({ text: passage.text, strict: false })
    focusInput()
  }, [chat, passage, focusInput])
  return (
    // A section, because a header that stands in none of the sectioning elements is taken for the page's own.
    <section className="chat-frame" ref={frame} lang={language} dir={directionOf(language)}>
      <WordsContext.Provider value={words}>
        <ChatContext.Provider value={chat}>
          <ChatSurface />
          {isSearching &&
            createPortal(
              <div className="cb" data-theme={theme} lang={language} dir={directionOf(language)}>
                <SearchBox onClose={() => setIsSearching(false)} onAsk={ask} />
              </div>,
              document.body,
            )}
        </ChatContext.Provider>
      </WordsContext.Provider>
    </section>
  )
})

/** What was kept comes first: a question of a link stands below it. */
function useConversation({ store, announce }: Chat, onAsked: () => void): void {
  useEffect(() => {
    const stop = announceAnswers(store, announce)
    void store.actions.load().then(() => {
      const shared = takeSharedQuestion()
      if (!shared) return
      onAsked()
      onceVisited(() => store.actions.askShared(shared.question, shared.edition))
    })
    return () => {
      stop()
      store.actions.destroy()
    }
  }, [store, announce, onAsked])
}

function useWordsIn(language: string): WordsOfChat {
  const [words, setWords] = useState<WordsOfChat>(english)
  useEffect(() => void wordsIn(language).then(setWords), [language])
  return words
}

function chatOf(contents: BookContents, mode: Mode): Omit<Chat, 'here'> {
  const announce = announcer(document)
  return {
    store: createChatStore(transportFor(mode, { server: '' })),
    title: contents.title,
    examples: [],
    choices: choicesOf(contents),
    bookUrl: '',
    book: new Book({ server: '' }),
    announce,
    hrefOf: (citation) => hashOf(placeOfCitation(citation, contents)),
    follow: (citation) => {
      announce('cited', {
        title: citation.sectionTitle ?? citation.chapterTitle,
        ...(citation.url ? { url: citation.url } : {}),
      })
      goTo(placeOfCitation(citation, contents))
    },
  }
}

/** A citation names its page by address; the anchor is its section. */
export function placeOfCitation(citation: Citation, contents: BookContents): Place {
  const { url, chapter } = citation
  const quote = quoteOf(citation)
  const [page = '', anchor = ''] = (url ?? '').split('#', 2)
  const found =
    contents.chapters.find((entry) => entry.url === page) ?? contents.chapters.find((entry) => entry.id === chapter)
  return {
    chapter: found?.id ?? chapter,
    ...(anchor ? { section: safelyDecoded(anchor) } : {}),
    ...(quote ? quotedAt(quote) : {}),
  }
}

function safelyDecoded(anchor: string): string {
  try {
    return decodeURIComponent(anchor)
  } catch {
    return anchor
  }
}
