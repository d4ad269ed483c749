/** Which page of the book the reader has before them, on a site whose pages are those of the book. */
import type { BookContents, BookModule } from '@citebook/client'
import { bookUrl, isSamePage } from '../navigation/citationLinks'

export interface PageHere {
  /** Missing where the page is none of the book's. */
  chapterId?: string
  title: string
  module?: BookModule
  /** Whether it is not known yet which page this is. */
  isSought?: boolean
}

/** Told anew whenever it is another one. */
export interface Here {
  current(): PageHere
  subscribe(listener: () => void): () => void
}

type Chapter = BookContents['chapters'][number]

const NOT_YET: PageHere = { title: '', isSought: true }
const NOWHERE: PageHere = { title: '' }

export class SiteHere implements Here {
  private chapters: Chapter[] | undefined
  private page = NOT_YET
  private readonly listeners = new Set<() => void>()

  constructor(private readonly book: string) {
    addEventListener('popstate', this.look)
    // Routers of sites go on by pushState, which says nothing to anyone else.
    navigationOf()?.addEventListener('currententrychange', this.look)
  }

  know(chapters: Chapter[]): void {
    this.chapters = chapters
    this.look()
  }

  current = (): PageHere => this.page

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  readonly look = (): void => {
    if (!this.chapters) return
    const here = new URL(location.href)
    const chapter = this.chapters.find(({ url }) => {
      const page = bookUrl(url, this.book)
      return page !== undefined && isSamePage(page, here)
    })
    if (chapter?.id === this.page.chapterId && !this.page.isSought) return
    this.page = chapter ? pageOf(chapter) : NOWHERE
    for (const listener of this.listeners) listener()
  }

  destroy(): void {
    removeEventListener('popstate', this.look)
    navigationOf()?.removeEventListener('currententrychange', this.look)
  }
}

export function pageOf({ id, title, module, module_title: name }: Chapter): PageHere {
  return {
    chapterId: id,
    title,
    ...(typeof module === 'number' ? { module: { number: module, title: name ?? `Module ${module}` } } : {}),
  }
}

function navigationOf(): EventTarget | undefined {
  return (globalThis as { navigation?: EventTarget }).navigation
}
