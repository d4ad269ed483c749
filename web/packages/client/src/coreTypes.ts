/** The types of a stored conversation on the wire, by the names of the book's data model; made from the server's OpenAPI. */
import type { components } from './generated/openapi'

type Schemas = components['schemas']

export type ChatSession = Schemas['CoreSession']
export type ChatMessage = Schemas['CoreMessage']
export type SourceCitation = Schemas['CoreSource']
export type TokenUsage = Schemas['Tokens']
export type QueryFilters = Schemas['QueryFilters']
export type QueryRequest = Schemas['CoreQuery']
export type QueryResponse = Schemas['CoreAnswer']

/** A frame of `POST /api/v1/query` as a stream. */
export interface StreamChunk extends Partial<Omit<QueryResponse, 'answer'>> {
  chunk?: string
  done?: boolean
  error?: string
}
