/** What questions can be limited to, and how the contracts are told of it. */
import type { BookContents } from './book'
import type { Scope } from './types'
import type { QueryFilters } from './wireTypes'

export interface BookModule {
  number: number
  title: string
}

export type Difficulty = NonNullable<QueryFilters['difficulty']>

/** A part of the book; what is not named does not matter. */
export interface Filters {
  module?: BookModule
  difficulty?: Difficulty
  /** A page with any of these. */
  tags?: string[]
}

/** What the book can be searched by, each in its order. */
export interface FilterChoices {
  modules: BookModule[]
  difficulties: Difficulty[]
  tags: string[]
}

/** In the words that every contract takes, whichever of them its description names. */
export interface PartOnWire {
  filters?: QueryFilters
  scope?: { chapter_id: string }
}

export const NO_CHOICES: FilterChoices = { modules: [], difficulties: [], tags: [] }
export const NO_FILTERS: Filters = {}
/** As the contracts have it. */
export const MOST_TAGS = 20
const MOST_MODULES = 10
const FROM_EASY_TO_HARD: readonly Difficulty[] = ['beginner', 'intermediate', 'advanced']

/** Modules in the order of the book, levels from easy to hard, tags by the alphabet. */
export function choicesOf({ chapters }: BookContents): FilterChoices {
  const titles = new Map<number, string>()
  for (const { module, module_title: title } of chapters)
    if (typeof module === 'number' && !titles.has(module)) titles.set(module, title ?? `Module ${module}`)
  const levels = new Set(chapters.map(({ difficulty }) => difficulty))
  const tags = new Set(chapters.flatMap((chapter) => chapter.tags ?? []))
  return {
    modules: [...titles].map(([number, title]) => ({ number, title })),
    difficulties: FROM_EASY_TO_HARD.filter((level) => levels.has(level)),
    tags: [...tags].sort((one, other) => one.localeCompare(other)),
  }
}

export function isUnfiltered({ module, difficulty, tags }: Filters): boolean {
  return !module && !difficulty && !tags?.length
}

/** The part of the book that a question is about, as the contracts take it; nothing where it is all of it. */
export function partOnWire({ filters, scope }: { filters?: Filters; scope?: Scope }): PartOnWire {
  if (scope) return { scope: { chapter_id: scope.chapterId } }
  if (!filters || isUnfiltered(filters)) return {}
  const { module, difficulty, tags } = filters
  const wanted: QueryFilters = {}
  if (module) wanted.module = nameOf(module)
  if (difficulty) wanted.difficulty = difficulty
  if (tags?.length) wanted.tags = tags.slice(0, MOST_TAGS)
  return { filters: wanted }
}

/** Numbers go up to ten; the parts behind that are named by their titles. */
function nameOf({ number, title }: BookModule): number | string {
  return number >= 1 && number <= MOST_MODULES ? number : title
}
