/** What is on the wire, by the names of the book's data model; every field comes from the server's OpenAPI document. */
import type { components } from './generated/openapi'

export type Schemas = components['schemas']

export type ChatSession = Schemas['CoreSession']
export type ChatMessage = Schemas['CoreMessage']
export type SourceCitation = Schemas['CoreSource']
export type TokenUsage = Schemas['Tokens']
export type QueryFilters = Schemas['QueryFilters']
export type QueryRequest = Schemas['CoreQuery']
export type QueryResponse = Schemas['CoreAnswer']

/** What `GET /api/v1/chat/sessions` tells a signed-in reader. */
export type SessionList = Schemas['CoreSessions']

/** A frame of a stream: a piece of the answer, or its end with all that the whole answer has. */
type Frame<Answer> = Partial<Omit<Answer, 'answer'>> & { done?: boolean; error?: string }

/** A frame of `POST /api/v1/query` as a stream. */
export type StreamChunk = Frame<QueryResponse> & { chunk?: string }
/** A frame of `POST /api/ask/stream`. */
export type StreamEvent = Frame<Schemas['AskAnswer']> & { content: string; done: boolean }
