/** The chat beside the book: citations open in the reading view. */
import { type BookContents, type Citation, choicesOf, type Mode, quoteOf, transportFor } from '@citebook/client'
import { type Chat, ChatContext, ChatSurface, createChatStore } from '@citebook/widget'
import '../../widget/src/chat.css'
import { forwardRef, type ReactNode, useCallback, useEffect, useImperativeHandle, useMemo, useRef } from 'react'
import { goTo, hashOf, type Place, quotedAt } from './route'

interface ChatSideProps {
  contents: BookContents
  mode: Mode
  /** Text of the book that the reader wants to ask about; a new object each time. */
  passage: { text: string } | undefined
}

export interface ChatHandle {
  focusInput(): void
}

export default forwardRef<ChatHandle, ChatSideProps>(function ChatSide(
  { contents, mode, passage },
  handle,
): ReactNode {
  const frame = useRef<HTMLElement>(null)
  const chat = useMemo(() => chatOf(contents, mode), [contents, mode])
  const focusInput = useCallback(() => frame.current?.querySelector<HTMLElement>('.cb-input')?.focus(), [])
  useImperativeHandle(handle, () => ({ focusInput }), [focusInput])
  useEffect(() => {
    void chat.store.actions.load()
    return () => chat.store.actions.destroy()
  }, [chat])
  useEffect(() => {
    if (!passage) return
    chat.store.actions.setPassage({ text: passage.text, strict: false })
    focusInput()
  }, [chat, passage, focusInput])
  return (
    // A section, because a header that stands in none of the sectioning elements is taken for the page's own.
    <section className="chat-frame" ref={frame}>
      <ChatContext.Provider value={chat}>
        <ChatSurface />
      </ChatContext.Provider>
    </section>
  )
})

function chatOf(contents: BookContents, mode: Mode): Chat {
  return {
    store: createChatStore(transportFor(mode, { server: '' })),
    title: contents.title,
    examples: [],
    choices: choicesOf(contents),
    bookUrl: '',
    hrefOf: (citation) => hashOf(placeOfCitation(citation, contents)),
    follow: (citation) => goTo(placeOfCitation(citation, contents)),
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
