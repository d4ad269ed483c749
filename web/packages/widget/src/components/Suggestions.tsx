/** Parts of the book that the reader may have meant. Only pages of the book become links. */
import type { Citation, Suggestion } from '@citebook/client'
import type { MouseEvent, ReactNode } from 'react'
import { bookUrl } from '../navigation/citationLinks'
import { useChat } from './ChatContext'
import { isPlainClick } from './plainClick'

export function Suggestions({ suggestions }: { suggestions: Suggestion[] }): ReactNode {
  const chat = useChat()
  const links = suggestions.flatMap((suggestion) => {
    const url = bookUrl(suggestion.url, chat.bookUrl)
    return url ? [{ ...suggestion, href: chat.hrefOf?.(placeOf(suggestion)) ?? url.href }] : []
  })
  if (!links.length) return null
  const go = (event: MouseEvent, suggestion: Suggestion): void => {
    if (!isPlainClick(event)) return
    event.preventDefault()
    chat.follow(placeOf(suggestion))
  }
  return (
    <nav className="cb-suggestions" aria-label="Related parts of the book">
      <p>The nearest parts of the book</p>
      <ul>
        {links.map((link) => (
          <li key={link.href}>
            <a href={link.href} onClick={(event) => go(event, link)}>
              {link.title}
            </a>
            {link.snippet ? <p className="cb-snippet">{link.snippet}</p> : null}
          </li>
        ))}
      </ul>
    </nav>
  )
}

function placeOf({ title, url }: Suggestion): Citation {
  return { chapter: '', chapterTitle: title, sourceFile: '', excerpt: '', url }
}
