/** What the book is searched for while a reader types, and questions that it answers. */
import { fieldsOf, list, text } from './checking'
import { visibleText } from './visibleText'
import type { Schemas } from './wireTypes'

export type FoundSection = Schemas['SectionFound']

export interface FoundSections {
  /** The best first. */
  sections: FoundSection[]
  /** The words that were sought in place of mistyped ones. */
  sought: string[]
}

/** A question that the book answers, and the section that does. */
export interface BookQuestion {
  question: string
  url: string
  section: string
}

/** What `GET /api/search` takes. */
export const LONGEST_SEARCH = 200

export function foundOf(body: unknown): FoundSections {
  const { sections, corrections } = fieldsOf<Schemas['SectionsFound']>(body)
  if (!Array.isArray(sections)) throw new TypeError('These are no sections of a book.')
  return {
    sections: sections.flatMap((each) => sectionOf(each) ?? []),
    sought: list(corrections).flatMap((each) => text(fieldsOf<Schemas['CorrectedWord']>(each).searched) || []),
  }
}

export function questionsOf(body: unknown): BookQuestion[] {
  return list(fieldsOf<{ questions: unknown }>(body).questions).flatMap((each) => {
    const fields = fieldsOf<BookQuestion>(each)
    const question = shown(fields.question)
    return question ? [{ question, url: text(fields.url) ?? '', section: shown(fields.section) }] : []
  })
}

function sectionOf(value: unknown): FoundSection | undefined {
  const fields = fieldsOf<FoundSection>(value)
  const [title, url] = [shown(fields.title), text(fields.url)]
  if (!title || !url) return undefined
  return { title, url, page: shown(fields.page), part: shown(fields.part) || null, snippet: shown(fields.snippet) }
}

function shown(value: unknown): string {
  return visibleText(text(value) ?? '').trim()
}
