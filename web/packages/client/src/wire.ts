/** From what the contracts say to what the chat shows. Nothing of a body is believed before its type is checked. */
import type { Citation, FinishedAnswer, Message, Outcome, Suggestion } from './types'
import type { Schemas, StreamChunk, StreamEvent } from './wireTypes'

type NameIn<Shapes> = Shapes extends unknown ? keyof Shapes : never

/** JSON that should have one of these shapes: their names are known, the types of its values are not. */
export type Unchecked<Shapes> = { readonly [Name in NameIn<Shapes>]?: unknown }

type Answer = Schemas['AskAnswer'] | Schemas['CoreAnswer'] | Schemas['QueryResponse']
type Source = Schemas['AskCitation'] | Schemas['CoreSource'] | Schemas['Source']
type Frame = StreamEvent | StreamChunk

/** The fields of an object; none where it is anything else. */
export function fieldsOf<Shapes>(value: unknown): Unchecked<Shapes> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
}

export function frameOf(json: string): Unchecked<Frame> {
  try {
    return fieldsOf<Frame>(JSON.parse(json))
  } catch {
    return {}
  }
}

/** The text of a frame: a piece of the answer. */
export function saidIn(frame: Unchecked<Frame>): string | undefined {
  return text(frame.content) ?? text(frame.chunk)
}

export function answerTextOf(body: unknown): string | undefined {
  return text(fieldsOf<Answer>(body).answer)
}

/** The end of an answer in any of the contracts. */
export function finishedOf(body: unknown): FinishedAnswer {
  const fields = fieldsOf<Answer>(body)
  return withoutMissing({
    citations: list(fields.citations ?? fields.sources).map(citationOf),
    confidence: share(fields.confidence),
    answerId: text(fields.answerId) ?? text(fields.answer_id),
    outcome: outcomeOf(fields.outcome),
    suggestions: suggestionsOf(fields.suggestions),
    lowConfidence: flag(fields.lowConfidence) ?? flag(fields.low_confidence),
    calibrated: flag(fields.calibrated),
    filterMessage: text(fields.filterMessage),
  })
}

/** The messages of a stored conversation, oldest first. */
export function messagesOf(body: unknown): Message[] {
  return list(fieldsOf<Schemas['CoreHistory']>(body).messages).flatMap((value) => {
    const fields = fieldsOf<Schemas['CoreMessage']>(value)
    const [id, role, content] = [text(fields.id), fields.role, text(fields.content)]
    if (!id || content === undefined || (role !== 'user' && role !== 'assistant')) return []
    const message: Message = { id, role, content, timestamp: new Date(text(fields.createdAt) ?? 0) }
    return [role === 'user' ? message : { ...message, ...finishedOf(value) }]
  })
}

function citationOf(value: unknown): Citation {
  const source = fieldsOf<Source>(value)
  const { page } = source
  return withoutMissing({
    chapter: text(source.chapterId) ?? text(source.chapter_id) ?? text(source.chapter) ?? '',
    chapterTitle: text(source.chapterTitle) ?? text(source.chapter_title) ?? text(source.chapter) ?? '',
    sourceFile: text(source.source_file) ?? text(source.filename) ?? '',
    excerpt: text(source.excerpt) ?? '',
    sectionTitle: text(source.sectionTitle) ?? text(source.section_title) ?? text(source.section),
    page: typeof page === 'number' ? page : undefined,
    url: text(source.url),
  })
}

function suggestionsOf(value: unknown): Suggestion[] | undefined {
  const found = list(value).flatMap((each) => {
    const fields = fieldsOf<Schemas['Suggestion']>(each)
    const [title, url] = [text(fields.title), text(fields.url)]
    return title && url ? [{ title, url }] : []
  })
  return found.length ? found : undefined
}

function outcomeOf(value: unknown): Outcome | undefined {
  return value === 'answered' || value === 'refused' ? value : undefined
}

export function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function flag(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined
}

function share(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value <= 1 ? value : undefined
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function withoutMissing<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as T
}
