/** The book itself: its chapters and pages, what is found in it, and questions that it answers. */
import { type BookPage, type BookSection, blocksOf } from './blocks'
import { ChatError } from './chatError'
import { fieldsOf, list, text, wholeNumber } from './checking'
import { Server } from './http'
import { type BookQuestion, type FoundSections, foundOf, LONGEST_SEARCH, questionsOf } from './sections'
import type { TransportOptions } from './transport'
import type { Schemas } from './wireTypes'

export type BookContents = Schemas['Contents']

export class Book {
  private readonly server: Server
  /** A server that knows no such questions is asked once. */
  private hasQuestions = true

  constructor(options: TransportOptions) {
    this.server = new Server(options)
  }

  async contents(signal?: AbortSignal): Promise<BookContents> {
    return contentsOf(await this.get('/book/contents', signal))
  }

  async page(chapterId: string, signal?: AbortSignal): Promise<BookPage> {
    const path = chapterId.split('/').map(encodeURIComponent).join('/')
    return pageOf(await this.get(`/book/pages/${path}`, signal))
  }

  /** Sections that have these words; the last one may be half typed. */
  async search(words: string, most: number, signal?: AbortSignal): Promise<FoundSections> {
    const asked = new URLSearchParams({ q: [...words].slice(0, LONGEST_SEARCH).join(''), limit: String(most) })
    return foundOf(await this.get(`/api/search?${asked}`, signal))
  }

  /** Questions that a page answers, or that lead on from a section; none where the server tells none. */
  async questions(about: { page: string } | { after: string }, most: number): Promise<BookQuestion[]> {
    if (!this.hasQuestions) return []
    try {
      const asked = new URLSearchParams({ ...about, limit: String(most) })
      return questionsOf(await this.get(`/api/questions?${asked}`)).slice(0, most)
    } catch (error) {
      this.hasQuestions = !(error instanceof ChatError && error.status === 404)
      return []
    }
  }

  private async get(path: string, signal?: AbortSignal): Promise<unknown> {
    const response = await this.server.call(path, { method: 'GET', ...(signal ? { signal } : {}) })
    return response.json()
  }
}

function contentsOf(body: unknown): BookContents {
  const { title, language, chapters } = fieldsOf<BookContents>(body)
  if (!Array.isArray(chapters)) throw new TypeError('These are no contents of a book.')
  return { title: text(title) ?? '', language: text(language) ?? 'en', chapters: chapters.map(contentsEntryOf) }
}

function pageOf(body: unknown): BookPage {
  const { sections, previous, next } = fieldsOf<BookPage>(body)
  if (!Array.isArray(sections)) throw new TypeError('This is no page of a book.')
  return {
    ...entryOf(body),
    sections: sections.map(sectionOf),
    previous: previous ? linkOf(previous) : null,
    next: next ? linkOf(next) : null,
  }
}

function contentsEntryOf(value: unknown): Schemas['ContentsEntry'] {
  const { difficulty, tags, sections } = fieldsOf<Schemas['ContentsEntry']>(value)
  return {
    ...entryOf(value),
    difficulty: text(difficulty) ?? null,
    tags: list(tags).flatMap((tag) => text(tag) || []),
    sections: list(sections).flatMap((section) => text(section) || []),
  }
}

function entryOf(value: unknown) {
  const { module, module_title: title } = fieldsOf<Schemas['ContentsEntry']>(value)
  return { ...linkOf(value), module: wholeNumber(module) ?? null, module_title: text(title) ?? null }
}

function linkOf(value: unknown): Schemas['PageLink'] {
  const { id, title, url } = fieldsOf<Schemas['PageLink']>(value)
  return { id: text(id) ?? '', title: text(title) ?? '', url: text(url) ?? '' }
}

function sectionOf(value: unknown): BookSection {
  const { id, title, level, blocks } = fieldsOf<BookSection>(value)
  return { id: text(id) ?? '', title: text(title) ?? '', level: wholeNumber(level) ?? 0, blocks: blocksOf(blocks) }
}
