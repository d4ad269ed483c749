/** The state of one chat and all that can be done to it. One message streams at a time; messages stand in time order. */
import {
  type AnswerPiece,
  type Asked,
  ChatError,
  type Filters,
  isUnfiltered,
  type Message,
  NO_FILTERS,
  newestFirst,
  type Passage,
  type Rating,
  type Remark,
  type Scope,
  type TextLimits,
  type Transport,
  visibleText,
} from '@citebook/client'
import { createStore, type StoreApi } from 'zustand/vanilla'
import { type ChatActions, type ChatState, type ChatStore, EMPTY } from './chatState'
import { merged, newId } from './messages'
import { saidBefore } from './saidBefore'

export type { ChatActions, ChatState, ChatStore, Failure } from './chatState'

/** A question, and what is known of where it came from. */
interface Asking extends Asked {
  /** It is no follow-up of what was said before. */
  isAlone?: boolean
  sharedEdition?: string
}

export function createChatStore(transport: Transport): ChatStore {
  const store = createStore<ChatState>(() => EMPTY)
  const chat = new Chat(store, transport)
  return Object.assign(store, { mode: transport.mode, actions: chat })
}

class Chat implements ChatActions {
  private answering: AbortController | null = null
  private waiting: ReturnType<typeof setTimeout> | undefined
  private asked: Asking | null = null
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
    const { isLoading, waitUntil, passage, filters, scope } = this.store.getState()
    const text = question.trim()
    if (isLoading || waitUntil !== null || !text) return
    this.asked = { question: text }
    if (passage) this.asked.passage = passage
    else if (scope) this.asked.scope = scope
    else if (!isUnfiltered(filters)) this.asked.filters = filters
    this.begin(this.asked)
    this.store.setState({ draft: '', passage: null })
  }

  askShared = (question: string, edition?: string): boolean => {
    const { isLoading, waitUntil } = this.store.getState()
    const text = visibleText(question).trim()
    const { min, max } = this.transport.limits()
    const length = [...text].length
    if (isLoading || waitUntil !== null || length < min || length > max) return false
    // Anyone can make a link: it must not be put into a conversation that the server keeps.
    if (this.transport.mode === 'persistent') this.newChat()
    this.asked = { question: text, isAlone: true, ...(edition ? { sharedEdition: edition } : {}) }
    this.begin(this.asked)
    return true
  }

  private begin(asking: Asking): void {
    this.add({ role: 'user', content: asking.question, ...aboutOf(asking) })
    void this.answer(asking)
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
    this.store.setState({ passage: null, filters: NO_FILTERS, scope: null })
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
      this.store.setState({ filters: NO_FILTERS, scope: null })
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

  rate = async (messageId: string, rating: Rating, remark?: Remark): Promise<void> => {
    const answerId = this.messageOf(messageId)?.answerId
    if (!answerId) return
    this.change(messageId, { rating })
    try {
      await this.transport.rate(answerId, rating, remark)
    } catch (error) {
      this.change(messageId, { rating: undefined })
      throw error
    }
  }

  setDraft = (draft: string): void => this.store.setState({ draft })
  setPassage = (passage: Passage | null): void => this.store.setState({ passage })
  setFilters = (filters: Filters): void => this.store.setState({ filters })
  setScope = (scope: Scope | null): void => this.store.setState({ scope })
  limits = (): TextLimits => this.transport.limits(this.store.getState().passage ?? undefined)

  destroy = (): void => {
    this.abandon()
    this.stopListening()
    clearTimeout(this.waiting)
  }

  private async answer(asking: Asking): Promise<void> {
    const answering = new AbortController()
    this.answering = answering
    const question = this.withHistory(asking)
    this.store.setState({ isLoading: true, error: null, failure: null })
    const id = this.add({
      role: 'assistant',
      content: '',
      isStreaming: true,
      ...aboutOf(asking),
      ...(asking.sharedEdition ? { sharedEdition: asking.sharedEdition } : {}),
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
  private withHistory({ isAlone, sharedEdition: _shared, ...asked }: Asking): Asked {
    const isKept = this.transport.mode === 'persistent'
    const history = isKept || isAlone ? [] : saidBefore(this.store.getState().messages)
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
    const { waitUntil, filters, scope, error, failure, conversations, nextConversations } = this.store.getState()
    const reason = waitUntil === null ? {} : { error, failure }
    this.store.setState({ ...EMPTY, ...reason, waitUntil, filters, scope, conversations, nextConversations })
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

/** The passage or the page that a question is about: shown with it and with its answer. */
function aboutOf({ passage, scope }: Asked): Pick<Message, 'passage' | 'scope'> {
  return { ...(passage ? { passage } : {}), ...(scope ? { scope } : {}) }
}
