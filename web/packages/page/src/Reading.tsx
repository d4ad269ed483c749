/** The reading view: one chapter of the book, with the cited sentence marked. */
import type { BookPage, BookSection } from '@citebook/client'
import { clearHighlight, followSelection, formulasDrawn, highlightExcerpt, RenderedSection } from '@citebook/widget'
import { createElement, memo, type ReactNode, type RefObject, useCallback, useEffect, useRef } from 'react'
import { Icon } from './icons'
import { Failed } from './Notices'
import { hashOf, type Place, type Visit } from './route'
import { useLoaded } from './useLoaded'

interface ReadingProps {
  place: Place
  visit: Visit
  isShown: boolean
  load: (chapter: string, signal: AbortSignal) => Promise<BookPage>
  onAsk: (text: string) => void
  onClose: (() => void) | undefined
  /** Of the book's text. */
  language: string
}

/** How far down each visited place had been read. */
const positions = new Map<string, number>()

export function Reading({ place, visit, isShown, load, onAsk, onClose, language }: ReadingProps): ReactNode {
  const view = useRef<HTMLElement>(null)
  const loadThis = useCallback((signal: AbortSignal) => load(place.chapter, signal), [load, place.chapter])
  const page = useLoaded(place.chapter, loadThis)
  const isThere = page.state === 'there'
  useArrival(view, place, visit, isThere, isShown)
  return (
    <main
      id="reading"
      className="reading"
      ref={view}
      hidden={!isShown}
      tabIndex={-1}
      aria-busy={page.state === 'loading'}
    >
      {onClose && (
        <button
          type="button"
          className="bar-button reading-close"
          aria-label="Close the book"
          title="Close the book"
          onClick={onClose}
        >
          <Icon name="close" />
        </button>
      )}
      {page.state === 'loading' && <Skeleton />}
      {page.state === 'failed' && <Failed what="This chapter" failure={page} />}
      {isThere && <Chapter page={page.value} language={language} />}
      {isThere && <AskBubble onAsk={onAsk} />}
    </main>
  )
}

/** Once the chapter is there: to the quoted words, to the section, to where one was, or to the top. */
function useArrival(
  view: RefObject<HTMLElement | null>,
  place: Place,
  visit: Visit,
  isThere: boolean,
  isShown: boolean,
): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: a visit holds its place; only a new visit brings one somewhere.
  useEffect(() => {
    const element = view.current
    if (!isThere || !isShown || element === null) return
    let isCurrent = true
    const arrive = (): void => {
      if (isCurrent) arriveAt(element, place, visit)
    }
    void formulasDrawn(element).then(() => setTimeout(arrive))
    return () => {
      isCurrent = false
    }
  }, [visit, isThere, isShown])
  useEffect(() => {
    const element = view.current
    const remember = (): void => {
      if (element && !element.hidden) positions.set(visit.hash, element.scrollTop)
    }
    element?.addEventListener('scroll', remember, { passive: true })
    return () => element?.removeEventListener('scroll', remember)
  }, [view, visit])
  useEffect(() => clearHighlight, [])
}

function arriveAt(view: HTMLElement, place: Place, visit: Visit): void {
  clearHighlight()
  const section = place.section ? view.querySelector(`[id="${CSS.escape(sectionId(place.section))}"]`) : null
  const { quote, quoteEnd } = place
  if (quote && ((section && highlightExcerpt(section, quote, quoteEnd)) || highlightExcerpt(view, quote, quoteEnd)))
    return
  const position = positions.get(visit.hash)
  if (visit.isReturn && position !== undefined) view.scrollTop = position
  else if (section) goToHeading(section)
  else {
    view.scrollTop = 0
    if (visit.count > 0) view.focus({ preventScroll: true })
  }
}

function goToHeading(section: Element): void {
  section.scrollIntoView({ block: 'start' })
  section.querySelector<HTMLElement>('h1, h2, h3, h4, h5, h6')?.focus({ preventScroll: true })
}

function sectionId(section: string): string {
  return `section-${section}`
}

/** Written from right to left. */
const RIGHT_TO_LEFT = new Set(['ar', 'dv', 'fa', 'he', 'ku', 'ps', 'sd', 'ug', 'ur', 'yi'])

function directionOf(language: string): 'ltr' | 'rtl' {
  return RIGHT_TO_LEFT.has(language.split('-')[0]!.toLowerCase()) ? 'rtl' : 'ltr'
}

const Chapter = memo(function Chapter({ page, language }: { page: BookPage; language: string }): ReactNode {
  return (
    <article className="chapter" lang={language} dir={directionOf(language)}>
      <header>
        {page.module_title && <p className="kicker">{page.module_title}</p>}
        <h1>{page.title}</h1>
        <Outline page={page} />
      </header>
      {page.sections.map((section) => (
        <section key={section.id} id={sectionId(section.id)}>
          <SectionHeading page={page} section={section} />
          <RenderedSection blocks={section.blocks} />
        </section>
      ))}
      <Neighbours page={page} />
    </article>
  )
})

/** What stands above the first heading has the chapter's own. */
function hasHeading(page: BookPage, section: BookSection): boolean {
  return section.level > 0 && !(section.level === 1 && section.title === page.title)
}

function SectionHeading({ page, section }: { page: BookPage; section: BookSection }): ReactNode {
  if (!hasHeading(page, section)) return null
  const level = Math.min(Math.max(section.level, 2), 6)
  return createElement(
    `h${level}`,
    { tabIndex: -1 },
    section.title,
    <a
      className="hash-link"
      href={hashOf({ chapter: page.id, section: section.id })}
      aria-label={`Link to “${section.title}”`}
    >
      #
    </a>,
  )
}

function Outline({ page }: { page: BookPage }): ReactNode {
  const sections = page.sections.filter((section) => hasHeading(page, section) && section.level <= 3)
  if (sections.length < 2) return null
  return (
    <details className="outline">
      <summary>In this chapter</summary>
      <nav aria-label="In this chapter">
        <ul>
          {sections.map((section) => (
            <li key={section.id} className={section.level > 2 ? 'outline-inner' : undefined}>
              <a href={hashOf({ chapter: page.id, section: section.id })}>{section.title}</a>
            </li>
          ))}
        </ul>
      </nav>
    </details>
  )
}

function Neighbours({ page }: { page: BookPage }): ReactNode {
  return (
    <nav className="neighbours" aria-label="Previous and next chapter">
      {page.previous && (
        <a className="neighbour" rel="prev" href={hashOf({ chapter: page.previous.id })}>
          <span>
            <Icon name="previous" /> Previous
          </span>
          {page.previous.title}
        </a>
      )}
      {page.next && (
        <a className="neighbour neighbour-next" rel="next" href={hashOf({ chapter: page.next.id })}>
          <span>
            Next <Icon name="next" />
          </span>
          {page.next.title}
        </a>
      )}
    </nav>
  )
}

/** "Ask about this" at text that the reader selects. */
function AskBubble({ onAsk }: { onAsk: (text: string) => void }): ReactNode {
  const bubble = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    const selection = followSelection(bubble.current!, '.chapter', onAsk)
    return () => selection.destroy()
  }, [onAsk])
  return (
    <button type="button" className="ask-bubble" ref={bubble} hidden>
      Ask about this
    </button>
  )
}

const LINES = [...'aababcabbac']

function Skeleton(): ReactNode {
  return (
    <div className="chapter skeleton" role="status">
      <span className="unseen">Opening the chapter…</span>
      {LINES.map((width, index) => (
        <span key={index} className={`line line-${width}`} />
      ))}
    </div>
  )
}
