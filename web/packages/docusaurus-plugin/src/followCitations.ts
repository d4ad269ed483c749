/** Follows citations within a single-page site: the place is shown once the router has drawn its page. */
import { type Citation, quoteOf } from '@citebook/client'

export type Show = (excerpt: string, hash: string) => boolean

interface Wanted {
  excerpt: string
  url: URL
  show: Show
}

const TRIES = 40
const PAUSE_MS = 50

let wanted: Wanted | undefined

/** What to do when a reader clicks a citation; files and pages of other sites are left to the widget. */
export function follower(push: (path: string) => void, show: Show) {
  return (citation: Citation, url: URL): boolean => {
    if (url.origin !== location.origin || isFile(url)) return false
    const excerpt = quoteOf(citation)
    // A section without words to mark is found by the site itself.
    wanted = excerpt ? { excerpt, url, show } : undefined
    const isHere = samePage(url.pathname, location.pathname)
    push(url.pathname + url.search + url.hash)
    if (isHere) pageIsDrawn(url.pathname)
    return true
  }
}

/** Tells that the router has drawn this page; parts of it may still follow. */
export function pageIsDrawn(pathname: string): void {
  const target = wanted
  if (!target || !samePage(target.url.pathname, pathname)) return
  let tries = TRIES
  const tryToShow = (): void => {
    if (target !== wanted) return
    if (target.show(target.excerpt, target.url.hash) || --tries === 0) wanted = undefined
    else setTimeout(tryToShow, PAUSE_MS)
  }
  setTimeout(tryToShow, PAUSE_MS)
}

/** A PDF, for example: the router knows nothing of it. */
function isFile({ pathname }: URL): boolean {
  return /\.(?!html$)[a-z]\w{1,4}$/i.test(pathname)
}

function samePage(one: string, other: string): boolean {
  return one.replace(/\/$/, '') === other.replace(/\/$/, '')
}
