/** What the chat needs of a server. Two kinds: `ephemeral` keeps nothing anywhere, `persistent` keeps a session. */
import type { GetToken } from './signIn'
import type { AnswerEvent, Asked, ConversationList, Message, Passage, Rating, Remark } from './types'

export type Mode = 'tab' | 'ephemeral' | 'persistent'

export interface TextLimits {
  min: number
  max: number
}

export interface Transport {
  readonly mode: Mode
  /** What becomes of the text that had come when a stream dies: kept and marked, or replaced by the error. */
  readonly partialText: 'keep' | 'replace'
  /** How long a question may be, in characters. */
  limits(passage?: Passage): TextLimits
  /** Throws `ChatError`; ends with the signal's reason when it is aborted. */
  ask(asked: Asked, signal: AbortSignal): AsyncIterable<AnswerEvent>
  /** The conversation so far, oldest message first. */
  history(signal?: AbortSignal): Promise<Message[]>
  /** What the reader had begun to type, where it was kept. */
  draft(): string
  /** Keeps the chat as it stands, where the browser is what keeps it. */
  remember(messages: Message[], draft: string): void
  /** Conversations that can be opened again; those from `next` on, where it is told. */
  conversations(next?: string): Promise<ConversationList>
  /** Makes this the conversation that goes on. */
  open(id: string): void
  /** The next question begins a new conversation. */
  startAnew(): void
  /** Deletes what the server keeps of this reader's conversations. */
  forget(): Promise<void>
  rate(answerId: string, rating: Rating, remark?: Remark): Promise<void>
  /** Calls when another tab has changed the conversation; returns how to stop that. */
  onChangeElsewhere(listener: () => void): () => void
}

export interface TransportOptions {
  /** Address of the server, without a slash at the end; empty for the page's own. */
  server: string
  fetch?: typeof fetch
  storage?: () => Storage | undefined
  /** The token of a reader who is signed in, for conversations that the server keeps. */
  getToken?: GetToken
  /** Milliseconds without a byte after which a stream counts as dead. The server sends a heartbeat every 10 seconds. */
  silence?: number
}
