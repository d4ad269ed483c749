/** From what the contracts say to what the chat shows. Nothing of a body is believed before its type is checked. */
import type { Citation, FinishedAnswer, Message, Outcome, Suggestion } from './types'

export type Fields = Record<string, unknown>

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

/** A frame's or body's JSON; an empty object where it is not what it should be. */
export function parsed(json: string): Fields {
  try {
    return fieldsOf(JSON.parse(json))
  } catch {
    return {}
  }
}

/** The value of the first of these fields that is text. Contracts differ in camelCase and snake_case. */
export function text(fields: Fields, ...names: string[]): string | undefined {
  for (const name of names) {
    const value = fields[name]
    if (typeof value === 'string') return value
  }
  return undefined
}

function flag(fields: Fields, ...names: string[]): boolean | undefined {
  for (const name of names) {
    const value = fields[name]
    if (typeof value === 'boolean') return value
  }
  return undefined
}

function share(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value <= 1 ? value : undefined
}

function list(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : []
}

function without<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as T
}

export function citationOf(source: Fields): Citation {
  const page = source.page
  return without({
    chapter: text(source, 'chapterId', 'chapter') ?? '',
    chapterTitle: text(source, 'chapterTitle', 'chapter_title', 'chapter') ?? '',
    sourceFile: text(source, 'sourceFile', 'source_file', 'filename') ?? '',
    excerpt: text(source, 'excerpt') ?? '',
    sectionTitle: text(source, 'sectionTitle', 'section_title', 'section'),
    page: typeof page === 'number' ? page : undefined,
    url: text(source, 'url'),
  })
}

function suggestionsOf(value: unknown): Suggestion[] | undefined {
  const found = list(value).flatMap((fields) => {
    const [title, url] = [text(fields, 'title'), text(fields, 'url')]
    return title && url ? [{ title, url }] : []
  })
  return found.length ? found : undefined
}

function outcomeOf(value: unknown): Outcome | undefined {
  return value === 'answered' || value === 'refused' ? value : undefined
}

/** The end of an answer in any of the contracts. */
export function finishedOf(fields: Fields): FinishedAnswer {
  return without({
    citations: list(fields.citations ?? fields.sources).map(citationOf),
    confidence: share(fields.confidence),
    answerId: text(fields, 'answerId', 'answer_id'),
    outcome: outcomeOf(fields.outcome),
    suggestions: suggestionsOf(fields.suggestions),
    lowConfidence: flag(fields, 'lowConfidence', 'low_confidence'),
    calibrated: flag(fields, 'calibrated', 'confidenceCalibrated', 'confidence_calibrated'),
    filterMessage: text(fields, 'filterMessage', 'filter_message'),
  })
}

/** The messages of a stored conversation, oldest first. */
export function messagesOf(history: Fields): Message[] {
  return list(history.messages).flatMap((fields) => {
    const [id, role, content] = [text(fields, 'id'), fields.role, text(fields, 'content')]
    if (!id || content === undefined || (role !== 'user' && role !== 'assistant')) return []
    const timestamp = new Date(text(fields, 'createdAt') ?? 0)
    return [
      role === 'user' ? { id, role, content, timestamp } : { id, role, content, timestamp, ...finishedOf(fields) },
    ]
  })
}
