/** Where a refusal and an unsure answer end: sections of the book that the reader may have meant. */
import type { FoundSection, Message, Suggestion } from '@citebook/client'
import { type MouseEvent, type ReactNode, useEffect, useState } from 'react'
import { useWords } from '../words'
import { hrefOfSection, placeOfSection } from './addresses'
import { useChat, useQuestionBefore } from './ChatContext'
import { isPlainClick } from './plainClick'
import { readable } from './snippet'
import { ofBook } from './useSections'

const MOST_SECTIONS = 4

/** Those that the server names. Where it names none, nothing is near a refusal; beside an answer a search may find some. */
export function NearSections({ message }: { message: Message }): ReactNode {
  const words = useWords()
  const found = useFound(message)
  const sections = message.suggestions ?? found
  return <Suggestions suggestions={sections} title={message.outcome === 'refused' ? words.nearest : words.sayMore} />
}

export function isUnsure({ outcome, support, lowConfidence }: Message): boolean {
  if (support === 'talk') return false
  return outcome === 'refused' || lowConfidence === true || support === 'unsure' || support === 'closest'
}

/** What the answer itself leads to is not found once more. */
function useFound({ id, outcome, suggestions, passage, citations }: Message): Suggestion[] {
  const { book } = useChat()
  const question = useQuestionBefore(id)
  const [found, setFound] = useState<Suggestion[]>([])
  const isSought = outcome !== 'refused' && !suggestions && !passage && question !== undefined
  useEffect(() => {
    if (!isSought) return
    const dropped = new AbortController()
    const cited = new Set(citations?.map(({ url }) => url))
    book.search(question, MOST_SECTIONS, dropped.signal).then(
      ({ sections }) => setFound(sections.filter(({ url }) => !cited.has(url)).map(named)),
      () => undefined, // The answer has said what it can; a list that does not come is not missed.
    )
    return () => dropped.abort()
  }, [book, question, isSought, citations])
  return found
}

/** As the server names those of an answer: a section called “Overview” says little without its page. */
function named({ title, page, url, snippet }: FoundSection): Suggestion {
  return { title: page && page !== title ? `${page}: ${title}` : title, url, snippet }
}

function Suggestions({ suggestions, title }: { suggestions: Suggestion[]; title: string }): ReactNode {
  const chat = useChat()
  const links = ofBook(suggestions, chat)
  if (!links.length) return null
  const go = (event: MouseEvent, suggestion: Suggestion): void => {
    if (!isPlainClick(event)) return
    event.preventDefault()
    chat.follow(placeOfSection(suggestion))
  }
  return (
    <nav className="cb-suggestions" aria-label={title}>
      <p>{title}</p>
      <ul>
        {links.map((link) => (
          <li key={link.url}>
            <a href={hrefOfSection(chat, link)} onClick={(event) => go(event, link)}>
              <bdi>{link.title}</bdi>
            </a>
            {link.snippet ? (
              <p className="cb-snippet" dir="auto">
                {readable(link.snippet)}
              </p>
            ) : null}
          </li>
        ))}
      </ul>
    </nav>
  )
}
