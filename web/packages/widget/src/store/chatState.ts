/** What is known of a chat, and what can be done to it. */
import {
  type ChatErrorKind,
  type Conversation,
  type Filters,
  type FrequentQuestion,
  type Message,
  type Mode,
  NO_FILTERS,
  type Passage,
  type Rating,
  type Remark,
  type Scope,
  type TextLimits,
} from '@citebook/client'
import type { StoreApi } from 'zustand/vanilla'

export interface Failure {
  kind: ChatErrorKind
  message: string
  retryable: boolean
  /** What the server can tell all the same. */
  faq: FrequentQuestion[]
}

export interface ChatState {
  messages: Message[]
  /** True from the question until the answer has ended. */
  isLoading: boolean
  /** What went wrong, in words for the reader. */
  error: string | null
  streamingMessageId: string | null
  failure: Failure | null
  /** When the server takes questions again, in milliseconds since 1970; null when it does so now. */
  waitUntil: number | null
  draft: string
  passage: Passage | null
  filters: Filters
  /** The one page that questions are about; null where it is the book, or as much of it as the filters leave. */
  scope: Scope | null
  /** Stored conversations, newest first, as far as they were asked for. */
  conversations: Conversation[]
  /** Where more of them are asked for; null where these are all. */
  nextConversations: string | null
}

export interface ChatActions {
  ask(question: string): void
  /** Asks a question that came with a link: alone, whatever was said before. Says whether it was asked. */
  askShared(question: string, edition?: string): boolean
  /** Asks the last question again. */
  retry(): void
  /** Asks the last question again, of the whole book and not of a passage. */
  askWholeBook(): void
  /** Ends the answer that is being written; what has come is kept and marked. */
  stop(): void
  newChat(): void
  /** Asks which conversations can be opened again; `more` adds to those that are known. */
  listConversations(more?: boolean): Promise<void>
  openConversation(id: string): Promise<void>
  clearHistory(): Promise<void>
  /** The reader has closed the chat: a chat of the tab goes on, of others nothing does, and an ephemeral one is gone. */
  close(): void
  load(): Promise<void>
  rate(messageId: string, rating: Rating, remark?: Remark): Promise<void>
  setDraft(draft: string): void
  setPassage(passage: Passage | null): void
  setFilters(filters: Filters): void
  setScope(scope: Scope | null): void
  limits(): TextLimits
  /** Lets go of timers, requests and listeners. */
  destroy(): void
}

export type ChatStore = StoreApi<ChatState> & { readonly mode: Mode; readonly actions: ChatActions }

export const EMPTY: ChatState = {
  messages: [],
  isLoading: false,
  error: null,
  streamingMessageId: null,
  failure: null,
  waitUntil: null,
  draft: '',
  passage: null,
  filters: NO_FILTERS,
  scope: null,
  conversations: [],
  nextConversations: null,
}
