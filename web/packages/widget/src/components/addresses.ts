/** Where a citation leads, in full, so that it can be written down. */
import type { Citation } from '@citebook/client'
import { bookUrl } from '../navigation/citationLinks'
import type { Chat } from './ChatContext'

/** Its section, without the words that are marked there; nothing where the server told no page of the book. */
export function addressOf(chat: Chat, citation: Citation): string | undefined {
  const url = bookUrl(citation.url, chat.bookUrl)
  if (!url) return undefined
  const { place: _place, ...bare } = citation
  const own = chat.hrefOf?.({ ...bare, excerpt: '' })
  return own === undefined ? url.href : new URL(own, document.baseURI).href
}
