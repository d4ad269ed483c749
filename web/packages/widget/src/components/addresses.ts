/** Where a citation leads, in full, so that it can be written down. */
import type { Citation, FoundSection, Suggestion } from '@citebook/client'
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

/** A section of the book as a place to go to: its heading, with no words marked. */
export function placeOfSection({ title, url }: Pick<Suggestion | FoundSection, 'title' | 'url'>): Citation {
  return { chapter: '', chapterTitle: title, sourceFile: '', excerpt: '', url }
}

/** Only for sections whose address is one of the book. */
export function hrefOfSection(chat: Chat, section: Pick<Suggestion | FoundSection, 'title' | 'url'>): string {
  return chat.hrefOf?.(placeOfSection(section)) ?? bookUrl(section.url, chat.bookUrl)?.href ?? ''
}
