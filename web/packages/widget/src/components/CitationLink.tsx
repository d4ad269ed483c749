/** A link to a citation's place in the book; plain text where the server told no page of the book. */
import type { Citation } from '@citebook/client'
import type { MouseEvent, ReactNode } from 'react'
import { bookUrl, withTextFragment } from '../navigation/citationLinks'
import { useChat } from './ChatContext'
import { isPlainClick } from './plainClick'

interface CitationLinkProps {
  citation: Citation
  className: string
  children: ReactNode
}

export function CitationLink({ citation, className, children }: CitationLinkProps): ReactNode {
  const chat = useChat()
  const url = bookUrl(citation.url, chat.bookUrl)
  if (!url) return <span className={className}>{children}</span>
  const go = (event: MouseEvent): void => {
    if (!isPlainClick(event)) return
    event.preventDefault()
    chat.follow(citation)
  }
  return (
    <a className={className} href={chat.hrefOf?.(citation) ?? withTextFragment(url, citation)} onClick={go}>
      {children}
    </a>
  )
}
