/** Talks to a Citebook server. */
export { Book, type BookContents, type BookModule, type BookPage, modulesOf } from './book'
export { ChatError, type ChatErrorKind } from './chatError'
export { EphemeralTransport } from './ephemeralTransport'
export { MOST_NOTE_CHARACTERS } from './feedback'
export type { components, paths } from './generated/openapi'
export { PersistentTransport } from './persistentTransport'
export { STRICT_PASSAGE } from './selectedText'
export { SseReader } from './sseReader'
export type { Mode, TextLimits, Transport, TransportOptions } from './transport'
export type {
  AnswerEvent,
  Asked,
  Citation,
  FinishedAnswer,
  Incomplete,
  Message,
  Outcome,
  Passage,
  Rating,
  Suggestion,
} from './types'
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
