/** Talks to a Citebook server. */
export type { AnswerPart, Block, BlockOf, BookPage, BookSection, CitedPlace, Inline, Mark } from './blocks'
export { Book, type BookContents } from './book'
export { ChatError, type ChatErrorKind } from './chatError'
export { newestFirst } from './conversations'
export { EphemeralTransport } from './ephemeralTransport'
export { EventStreamReader } from './eventStream'
export { MOST_NOTE_CHARACTERS } from './feedback'
export {
  type BookModule,
  choicesOf,
  type Difficulty,
  type FilterChoices,
  type Filters,
  isUnfiltered,
  MOST_TAGS,
  NO_CHOICES,
  NO_FILTERS,
} from './filters'
export type { components, paths } from './generated/openapi'
export { PersistentTransport } from './persistentTransport'
export { type BookQuestion, type FoundSection, type FoundSections, LONGEST_SEARCH } from './sections'
export { STRICT_PASSAGE } from './selectedText'
export type { GetToken } from './signIn'
export { TabTransport } from './tabTransport'
export type { Mode, TextLimits, Transport, TransportOptions } from './transport'
export { transportFor } from './transportFor'
export type {
  AnswerEvent,
  AnswerPiece,
  Asked,
  Citation,
  Conversation,
  ConversationList,
  ErrorContext,
  ErrorType,
  Exchange,
  FinishedAnswer,
  FrequentQuestion,
  Incomplete,
  Message,
  Outcome,
  Passage,
  Rating,
  Reason,
  Remark,
  Scope,
  Suggestion,
  Support,
} from './types'
export { quoteOf } from './types'
export { visibleText } from './visibleText'
export type {
  ChatMessage,
  ChatSession,
  QueryFilters,
  QueryRequest,
  QueryResponse,
  SourceCitation,
  StreamChunk,
  StreamEvent,
  TokenUsage,
} from './wireTypes'
