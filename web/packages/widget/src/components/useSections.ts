/** Sections of the book for what stands in the box, while it is typed: the newest reply alone counts. */
import type { FoundSection, FoundSections } from '@citebook/client'
import { useEffect, useRef, useState } from 'react'
import { bookUrl } from '../navigation/citationLinks'
import { type Chat, useChat } from './ChatContext'

/** Keys that come faster than this are one; the first of them is searched for at once. */
const PAUSE_MILLISECONDS = 25
const MOST_SECTIONS = 8

interface Found extends FoundSections {
  /** What they were found for. */
  typed: string
  hasFailed: boolean
}

const NOTHING: Found = { typed: '', sections: [], sought: [], hasFailed: false }

export function useSections(typed: string): Found {
  const chat = useChat()
  const [found, setFound] = useState(NOTHING)
  const lastKey = useRef(Number.NEGATIVE_INFINITY)
  useEffect(() => {
    if (!typed) return setFound(NOTHING)
    const dropped = new AbortController()
    const show = (one: Omit<Found, 'typed'>): void => {
      if (!dropped.signal.aborted) setFound({ typed, ...one })
    }
    const search = (): void =>
      void chat.book.search(typed, MOST_SECTIONS, dropped.signal).then(
        ({ sections, sought }) => show({ sections: ofBook(sections, chat), sought, hasFailed: false }),
        () => show({ ...NOTHING, hasFailed: true }),
      )
    const isBurst = performance.now() - lastKey.current < PAUSE_MILLISECONDS
    lastKey.current = performance.now()
    const timer = isBurst ? setTimeout(search, PAUSE_MILLISECONDS) : undefined
    if (!isBurst) search()
    return () => {
      clearTimeout(timer)
      dropped.abort()
    }
  }, [typed, chat])
  return found
}

/** Only pages of the book become links. */
export function ofBook<Section extends Pick<FoundSection, 'url'>>(sections: Section[], chat: Chat): Section[] {
  return sections.filter(({ url }) => bookUrl(url, chat.bookUrl) !== undefined)
}
