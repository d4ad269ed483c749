/** Links to an answer: `?ask=…` asks the question again, and `edition` says which book had answered it. */

export interface SharedQuestion {
  question: string
  edition?: string
}

/** Longer than any question, in any mode: nobody has asked that. */
const LONGEST = 1000
const LONGEST_EDITION = 100

/** The page's own address with the question; nothing else of its query, which may hold what is not to be shared. */
export function shareUrl(question: string, edition?: string, page: string = location.href): string {
  const url = new URL(page)
  url.search = new URLSearchParams({ ask: question, ...(edition ? { edition } : {}) }).toString()
  url.hash = ''
  return url.href
}

/** The question that this page was opened with. It is taken out of the address, so that it is asked once. */
export function takeSharedQuestion(): SharedQuestion | undefined {
  const url = new URL(location.href)
  const [question, edition] = [url.searchParams.get('ask'), url.searchParams.get('edition')]
  if (question === null) return undefined
  url.searchParams.delete('ask')
  url.searchParams.delete('edition')
  history.replaceState(history.state, '', url)
  if ([...question].length > LONGEST) return undefined
  return { question, ...(edition && edition.length <= LONGEST_EDITION ? { edition } : {}) }
}

/** A browser may draw a page before anyone has followed its link. */
export function onceVisited(then: () => void): void {
  if ((document as { prerendering?: boolean }).prerendering)
    document.addEventListener('prerenderingchange', then, { once: true })
  else then()
}
