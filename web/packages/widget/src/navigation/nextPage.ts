/** A citation on a page that the browser loads next, where the chat opens again: marked there as on this one, and not only by the browser. */
import { type Citation, quoteOf } from '@citebook/client'
import { isSamePage } from './citationLinks'
import { showOnThisPage } from './followCitation'

const KEY = 'citebook:cited'

export function noteForNextPage(citation: Citation, url: URL): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify([url.href, quoteOf(citation)]))
  } catch {
    // Storage is switched off: the browser's own mark is all there is.
  }
}

/** Marks what was noted for this page, once. */
export function markNoted(content: string): void {
  const { url, quote } = takenNote()
  if (url && quote && isSamePage(url, new URL(location.href))) showOnThisPage(quote, url.hash, content)
}

function takenNote(): { url?: URL; quote?: string } {
  try {
    const [address, quote] = JSON.parse(sessionStorage.getItem(KEY) ?? '[]') as string[]
    sessionStorage.removeItem(KEY)
    return address && quote ? { url: new URL(address), quote } : {}
  } catch {
    // As above; or the note is not ours.
    return {}
  }
}
