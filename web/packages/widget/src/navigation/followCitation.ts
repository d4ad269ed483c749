/** Goes to a citation's place: on this page it is marked at once, on another page when that has loaded. */
import { type Citation, quoteOf } from '@citebook/client'
import { highlightExcerpt } from '../highlighting'
import type { WidgetOptions } from '../host/options'
import { bookUrl, isSamePage, withTextFragment } from './citationLinks'

/** Returns where the browser leaves this page for; nothing where it stays. */
export function followCitation(
  citation: Citation,
  options: Pick<WidgetOptions, 'bookUrl' | 'content' | 'onNavigate'>,
): URL | undefined {
  const url = bookUrl(citation.url, options.bookUrl)
  if (!url) return undefined
  if (options.onNavigate && options.onNavigate(citation, url) !== false) return undefined
  if (isSamePage(url, new URL(location.href))) {
    showOnThisPage(quoteOf(citation), url.hash, options.content)
    return undefined
  }
  location.assign(withTextFragment(url, citation))
  return url
}

/** Scrolls to the excerpt and marks it; to the section's heading where the excerpt cannot be found. */
export function showOnThisPage(excerpt: string, hash: string, content: string): Range | null {
  const root = document.querySelector(content) ?? document.body
  const found = excerpt ? highlightExcerpt(root, excerpt) : null
  if (!found && hash.length > 1)
    document.getElementById(decodeURIComponent(hash.slice(1)))?.scrollIntoView({ block: 'start' })
  return found
}
