/** The state of one chat and all that can be done to it. One message streams at a time; messages stand in time order. */
import {
  type AnswerPiece,
  type Asked,
  ChatError,
  type ChatErrorKind,
  type Conversation,
  type Filters,
  type FrequentQuestion,
  isUnfiltered,
  type Message,
  type Mode,
  NO_FILTERS,
  newestFirst,
  type Passage,
  type Rating,
  type TextLimits,
  type Transport,
} from '@citebook/client'
import { createStore, type StoreApi } from 'zustand/vanilla'
import { saidBefore } from './saidBefore'

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
  /** Stored conversations, newest first, as far as they were asked for. */
  conversations: Conversation[]
  /** Where more of them are asked for; null where these are all. */
  nextConversations: string | null
}

export interface ChatActions {
  ask(question: string): void
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
  rate(messageId: string, rating: Rating, note?: string): Promise<void>
  setDraft(draft: string): void
  setPassage(passage: Passage | null): void
  setFilters(filters: Filters): void
  limits(): TextLimits
  /** Lets go of timers, requests and listeners. */
  destroy(): void
}

export type ChatStore = StoreApi<ChatState> & { readonly mode: Mode; readonly actions: ChatActions }

const EMPTY: ChatState = {
  messages: [],
  isLoading: false,
  error: null,
  streamingMessageId: null,
  failure: null,
  waitUntil: null,
  draft: '',
  passage: null,
  filters: NO_FILTERS,
  conversations: [],
  nextConversations: null,
}

export function createChatStore(transport: Transport): ChatStore {
  const store = createStore<ChatState>(() => EMPTY)
  const chat = new Chat(store, transport)
  return Object.assign(store, { mode: transport.mode, actions: chat })
}

class Chat implements ChatActions {
  private answering: AbortController | null = null
  private waiting: ReturnType<typeof setTimeout> | undefined
  private asked: Asked | null = null
  private isStale = false
  /** Whether it is known what was kept; before that, nothing may be put in its place. */
  private isLoaded = false
  /** Counts up with each conversation that is asked for, so that one that comes late is not shown. */
  private loads = 0
  private readonly stopListening: () => void

  constructor(
    private readonly store: StoreApi<ChatState>,
    private readonly transport: Transport,
  ) {
    const stopHearing = transport.onChangeElsewhere(() => void this.load())
    const stopKeeping = this.keepWhatIsSaid()
    this.stopListening = () => {
      stopHearing()
      stopKeeping()
    }
  }

  /** With every change of the messages, and with what was typed when the page is left. */
  private keepWhatIsSaid(): () => void {
    const keep = (): void => {
      const { messages, draft } = this.store.getState()
      if (this.isLoaded) this.transport.remember(messages, draft)
    }
    const stop = this.store.subscribe((state, before) => {
      if (state.messages !== before.messages) keep()
    })
    globalThis.addEventListener?.('pagehide', keep)
    return () => {
      stop()
      globalThis.removeEventListener?.('pagehide', keep)
    }
  }

  ask = (question: string): void => {
    const { isLoading, waitUntil, passage, filters } = this.store.getState()
    const text = question.trim()
    if (isLoading || waitUntil !== null || !text) return
    this.asked = { question: text }
    if (passage) this.asked.passage = passage
    else if (!isUnfiltered(filters)) this.asked.filters = filters
    this.add({ role: 'user', content: text, ...(passage ? { passage } : {}) })
    this.store.setState({ draft: '', passage: null })
    void this.answer(this.asked)
  }

  retry = (): void => {
    const { isLoading, waitUntil, messages } = this.store.getState()
    if (isLoading || waitUntil !== null) return
    if (!this.asked) return void this.load()
    const lastQuestion = messages.findLastIndex((message) => message.role === 'user')
    this.store.setState({ messages: messages.slice(0, lastQuestion + 1) })
    void this.answer(this.asked)
  }

  askWholeBook = (): void => {
    const { asked } = this
    if (!asked || this.store.getState().isLoading) return
    this.store.setState({ passage: null, filters: NO_FILTERS })
    this.ask(asked.question)
  }

  stop = (): void => this.answering?.abort()

  newChat = (): void => {
    this.abandon()
    this.transport.startAnew()
    this.wipe()
    void this.listConversations()
  }

  openConversation = async (id: string): Promise<void> => {
    this.abandon()
    this.transport.open(id)
    this.wipe()
    await this.load()
    const { messages, failure } = this.store.getState()
    if (!messages.length && !failure)
      this.fail(new ChatError('unknown', 'This conversation is kept no longer.', false))
  }

  listConversations = async (more = false): Promise<void> => {
    const { conversations, nextConversations } = this.store.getState()
    try {
      const listed = await this.transport.conversations(more ? (nextConversations ?? undefined) : undefined)
      const added = listed.entries.map(({ id }) => id)
      const former = more ? conversations.filter(({ id }) => !added.includes(id)) : []
      this.store.setState({
        conversations: newestFirst([...former, ...listed.entries]),
        nextConversations: listed.next ?? null,
      })
    } catch {
      // What was known before stays; the conversation itself says where the server cannot be reached.
    }
  }

  clearHistory = async (): Promise<void> => {
    this.abandon()
    try {
      await this.transport.forget()
      this.wipe()
      void this.listConversations()
    } catch (error) {
      this.fail(error)
    }
  }

  close = (): void => {
    if (this.transport.mode === 'ephemeral') {
      this.abandon()
      this.store.setState({ filters: NO_FILTERS })
      this.wipe()
    } else if (this.transport.mode === 'persistent') {
      this.stop()
    }
  }

  load = async (): Promise<void> => {
    if (this.answering) {
      this.isStale = true
      return
    }
    this.loads += 1
    const load = this.loads
    void this.listConversations()
    try {
      const messages = await this.transport.history()
      if (!this.isLoaded && !this.store.getState().draft) this.setDraft(this.transport.draft())
      this.isLoaded = true
      if (this.answering || load !== this.loads) return
      this.store.setState({ messages: merged(messages, this.store.getState().messages), error: null, failure: null })
    } catch (error) {
      if (load === this.loads) this.fail(error)
    }
  }

  rate = async (messageId: string, rating: Rating, note?: string): Promise<void> => {
    const answerId = this.messageOf(messageId)?.answerId
    if (!answerId) return
    this.change(messageId, { rating })
    try {
      await this.transport.rate(answerId, rating, note)
    } catch (error) {
      this.change(messageId, { rating: undefined })
      throw error
    }
  }

  setDraft = (draft: string): void => this.store.setState({ draft })
  setPassage = (passage: Passage | null): void => this.store.setState({ passage })
  setFilters = (filters: Filters): void => this.store.setState({ filters })
  limits = (): TextLimits => this.transport.limits(this.store.getState().passage ?? undefined)

  destroy = (): void => {
    this.abandon()
    this.stopListening()
    clearTimeout(this.waiting)
  }

  private async answer(asked: Asked): Promise<void> {
    const answering = new AbortController()
    this.answering = answering
    const question = this.withHistory(asked)
    this.store.setState({ isLoading: true, error: null, failure: null })
    const id = this.add({
      role: 'assistant',
      content: '',
      isStreaming: true,
      ...(asked.passage ? { passage: asked.passage } : {}),
    })
    this.store.setState({ streamingMessageId: id })
    try {
      for await (const event of this.transport.ask(question, answering.signal)) {
        if (this.answering !== answering) return
        if (event.type === 'text') this.grow(id, event)
        else this.change(id, { ...event.answer })
      }
    } catch (error) {
      if (this.answering !== answering) return
      this.break(id, error, answering.signal.aborted)
    }
    if (this.answering === answering) this.end(id)
  }

  /** A chat that the server keeps needs to tell it nothing. */
  private withHistory(asked: Asked): Asked {
    const history = this.transport.mode === 'persistent' ? [] : saidBefore(this.store.getState().messages)
    return history.length && !asked.passage ? { ...asked, history } : asked
  }

  /** The answer will not be whole. */
  private break(id: string, error: unknown, isStopped: boolean): void {
    const hasText = this.messageOf(id)?.content !== ''
    const isKept = hasText && (isStopped || this.transport.partialText === 'keep')
    if (isKept) this.change(id, { incomplete: isStopped ? 'stopped' : 'interrupted' })
    else this.remove(id)
    if (!isStopped) this.fail(error)
  }

  private end(id: string): void {
    this.answering = null
    this.change(id, { isStreaming: false })
    this.store.setState({ isLoading: false, streamingMessageId: null })
    if (this.isStale) {
      this.isStale = false
      void this.load()
    }
  }

  private fail(error: unknown): void {
    const told =
      error instanceof ChatError ? error : new ChatError('unknown', 'Something went wrong. Please try again.', true)
    const { kind, message, retryable, faq } = told
    this.store.setState({ error: message, failure: { kind, message, retryable, faq } })
    if (kind === 'rate_limited') this.wait(told.retryAfter ?? 0)
  }

  private wait(seconds: number): void {
    clearTimeout(this.waiting)
    this.store.setState({ waitUntil: Date.now() + seconds * 1000 })
    this.waiting = setTimeout(this.endWait, seconds * 1000)
  }

  private readonly endWait = (): void => {
    this.store.setState({ waitUntil: null, ...(this.asked ? {} : { error: null, failure: null }) })
  }

  /** Ends the answer at once; whatever it still says is not heard. */
  private abandon(): void {
    const { answering } = this
    this.answering = null
    this.isStale = false
    answering?.abort()
  }

  /** Forgets the conversation, but not that the server asked us to wait. */
  private wipe(): void {
    this.asked = null
    this.loads += 1
    const { waitUntil, filters, error, failure, conversations, nextConversations } = this.store.getState()
    const reason = waitUntil === null ? {} : { error, failure }
    this.store.setState({ ...EMPTY, ...reason, waitUntil, filters, conversations, nextConversations })
  }

  private add(message: Omit<Message, 'id' | 'timestamp'>): string {
    const { messages } = this.store.getState()
    const last = messages.at(-1)?.timestamp.getTime() ?? 0
    // A clock that was set back must not put an answer before its question.
    const added: Message = { ...message, id: newId(), timestamp: new Date(Math.max(Date.now(), last)) }
    this.store.setState({ messages: [...messages, added] })
    return added.id
  }

  private change(id: string, fields: { [Field in keyof Message]?: Message[Field] | undefined }): void {
    this.store.setState(({ messages }) => ({
      messages: messages.map((message) => (message.id === id ? ({ ...message, ...fields } as Message) : message)),
    }))
  }

  private grow(id: string, { text, parts }: AnswerPiece): void {
    const { content, parts: before = [] } = this.messageOf(id) ?? { content: '' }
    this.change(id, { content: content + text, ...(parts ? { parts: [...before, ...parts] } : {}) })
  }

  private remove(id: string): void {
    this.store.setState(({ messages }) => ({ messages: messages.filter((message) => message.id !== id) }))
  }

  private messageOf(id: string): Message | undefined {
    return this.store.getState().messages.find((message) => message.id === id)
  }
}

/** What the server keeps, with what only this tab knows: ratings, and questions about a passage, which are not kept. */
function merged(kept: Message[], shown: Message[]): Message[] {
  const left = [...shown]
  const known = kept.map((message) => {
    const index = left.findIndex(({ role, content }) => role === message.role && content === message.content)
    const [own] = index < 0 ? [] : left.splice(index, 1)
    return own ? { ...message, ...own, timestamp: message.timestamp } : message
  })
  const unkept = left.filter((message) => message.passage)
  return [...known, ...unkept].sort((one, other) => one.timestamp.getTime() - other.timestamp.getTime())
}

/** A UUID of version 4. `crypto.randomUUID` is missing on pages without TLS. */
function newId(): string {
  if (typeof crypto.randomUUID === 'function') return crypto.randomUUID()
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})/, '$1-$2-4$3-8$4-')
}
