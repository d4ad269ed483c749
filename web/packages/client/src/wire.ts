/** From what the contracts say to what the chat shows. Nothing of a body is believed before its type is checked. */
import { partsOf, placeOf, type WithParts } from './blocks'
import { fieldsOf, flag, list, share, text, type Unchecked, wholeNumber, withoutMissing } from './checking'
import type { AnswerPiece, Citation, FinishedAnswer, Message, Outcome, Suggestion, Support } from './types'
import type { Schemas, StreamChunk, StreamEvent, TokenUsage } from './wireTypes'

/** Told by servers that know editions. */
interface WithEdition {
  edition?: string
}

type Answer = (Schemas['AskAnswer'] | Schemas['CoreAnswer'] | Schemas['QueryResponse']) & WithParts & WithEdition
type Source = Schemas['AskCitation'] | Schemas['CoreSource'] | Schemas['Source']
type Frame = (StreamEvent | StreamChunk) & WithParts

const SUPPORTS: readonly Support[] = ['likely', 'unsure', 'closest', 'talk']

export function frameOf(json: string): Unchecked<Frame> {
  try {
    return fieldsOf<Frame>(JSON.parse(json))
  } catch {
    return {}
  }
}

/** The piece of the answer that a frame brings, if it brings one. */
export function pieceOf(frame: Unchecked<Frame>): AnswerPiece | undefined {
  return piece(text(frame.content) ?? text(frame.chunk), frame.parts)
}

/** An answer that is one piece. */
export function wholeOf(body: unknown): AnswerPiece | undefined {
  const { answer, parts } = fieldsOf<Answer>(body)
  return piece(text(answer), parts)
}

function piece(said: string | undefined, parts: unknown): AnswerPiece | undefined {
  return said ? withoutMissing({ text: said, parts: partsOf(parts) }) : undefined
}

/** The end of an answer in any of the contracts. */
export function finishedOf(body: unknown): FinishedAnswer {
  const fields = fieldsOf<Answer>(body)
  const isRefused = fields.outcome === 'refused' // what it may name as its sources proves nothing
  const citations = isRefused ? [] : list(fields.citations ?? fields.sources).map(citationOf)
  return withoutMissing({
    citations,
    sources: sourcesOf(citations),
    confidence: share(fields.confidence),
    answerId: text(fields.answerId) ?? text(fields.answer_id),
    outcome: outcomeOf(fields.outcome),
    edition: text(fields.edition),
    suggestions: suggestionsOf(fields.suggestions),
    support: supportOf(fields.support),
    supportText: text(fields.supportText) ?? text(fields.support_text),
    lowConfidence: flag(fields.lowConfidence) ?? flag(fields.low_confidence),
    calibrated: flag(fields.calibrated),
    corrected: text(fields.corrected),
    filterMessage: text(fields.filterMessage) ?? text(fields.filter_message),
    tokensUsed: tokensOf(fields.tokensUsed ?? fields.tokens_used),
    parts: partsOf(fields.parts),
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
  return withoutMissing({
    chapter: text(source.chapterId) ?? text(source.chapter_id) ?? text(source.chapter) ?? '',
    chapterTitle: text(source.chapterTitle) ?? text(source.chapter_title) ?? text(source.chapter) ?? '',
    sourceFile: text(source.source_file) ?? text(source.filename) ?? '',
    excerpt: text(source.excerpt) ?? '',
    place: placeOf(source.place),
    sectionTitle: text(source.sectionTitle) ?? text(source.section_title) ?? text(source.section),
    page: wholeNumber(source.page),
    url: text(source.url),
  })
}

/** Where an answer stands in the book: `chapter#section`. */
function sourcesOf(citations: Citation[]): string[] | undefined {
  const named = citations.filter(({ chapter }) => chapter)
  const sources = named.map(({ chapter, url }) => `${chapter}${/#.+$/.exec(url ?? '')?.[0] ?? ''}`)
  return sources.length ? [...new Set(sources)] : undefined
}

export function suggestionsOf(value: unknown): Suggestion[] | undefined {
  const found = list(value).flatMap((each) => {
    const fields = fieldsOf<Schemas['Suggestion']>(each)
    const [title, url] = [text(fields.title), text(fields.url)]
    return title && url ? [{ title, url, snippet: text(fields.snippet) ?? '' }] : []
  })
  return found.length ? found : undefined
}

/** Nothing where no model was used. */
export function tokensOf(value: unknown): TokenUsage | undefined {
  const { input, output, total } = fieldsOf<TokenUsage>(value)
  const [read, written, all] = [wholeNumber(input) ?? 0, wholeNumber(output) ?? 0, wholeNumber(total) ?? 0]
  return all > 0 ? { input: read, output: written, total: all } : undefined
}

/** How sure it is that an answer answers, in the server's own words; nothing in words that nobody knows here. */
export function supportOf(value: unknown): Support | undefined {
  return SUPPORTS.find((known) => known === value)
}

function outcomeOf(value: unknown): Outcome | undefined {
  return value === 'answered' || value === 'refused' ? value : undefined
}
