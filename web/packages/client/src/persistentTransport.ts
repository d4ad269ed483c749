/** A chat whose conversation the server keeps; the browser holds only the session's id and token. */
import { streamedAnswer } from './answering'
import { ChatError } from './chatError'
import { text } from './checking'
import { listedOf, ownOf, together } from './conversations'
import { sendRating } from './feedback'
import { type PartOnWire, partOnWire } from './filters'
import { Server } from './http'
import { askAboutPassage } from './selectedText'
import { authorizationOf, type GetToken } from './signIn'
import { StoredRatings } from './storedRatings'
import { type StoredSession, StoredSessions } from './storedSessions'
import type { TextLimits, Transport, TransportOptions } from './transport'
import type { AnswerEvent, Asked, ConversationList, Message, Passage, Rating, Remark } from './types'
import { messagesOf } from './wire'
import type { QueryRequest } from './wireTypes'

const QUESTION: TextLimits = { min: 1, max: 500 }
const QUESTION_ABOUT_PASSAGE: TextLimits = { min: 3, max: 1000 }
const TOKEN_HEADER = 'X-Session-Token'
const MOST_MESSAGES = 50
const MOST_LISTED = 20
const MOST_TITLE_CHARACTERS = 120
const SESSIONS = '/api/v1/chat/sessions'

type Headers = Record<string, string>

export class PersistentTransport implements Transport {
  readonly mode = 'persistent'
  readonly partialText = 'keep'
  private readonly server: Server
  private readonly sessions: StoredSessions
  private readonly ratings: StoredRatings
  private readonly getToken: GetToken | undefined

  constructor(options: TransportOptions) {
    this.server = new Server(options)
    this.getToken = options.getToken
    const storage = options.storage ?? localStorageIfAny
    this.sessions = new StoredSessions(this.server.address, storage)
    this.ratings = new StoredRatings(this.server.address, storage)
  }

  limits(passage?: Passage): TextLimits {
    return passage ? QUESTION_ABOUT_PASSAGE : QUESTION
  }

  async *ask(asked: Asked, signal: AbortSignal): AsyncGenerator<AnswerEvent, void, undefined> {
    if (asked.passage) return yield* askAboutPassage(this.server, asked.question, asked.passage, signal)
    const reader = await authorizationOf(this.getToken)
    const response = await this.query(asked, reader, signal)
    const made = response.headers.get(TOKEN_HEADER)
    // A signed-in reader shows who they are: what they leave in the browser opens nothing for the next one.
    const former = this.sessions.current()
    const token = made && reader.Authorization ? '' : (made ?? former?.token)
    yield* streamedAnswer(response, this.server.silence, signal, (frame) => {
      const id = text(frame.sessionId)
      if (id && token !== undefined) this.keep({ id, token }, id === former?.id ? former.title : asked.question)
    })
  }

  private keep(session: StoredSession, title = ''): void {
    const told = {
      title: [...title].slice(0, MOST_TITLE_CHARACTERS).join(''),
      lastActivityAt: new Date().toISOString(),
    }
    this.sessions.keep(session.token ? { ...session, ...told } : session)
  }

  /** A session that has expired, or was deleted in another tab, is left behind and a new one begun. */
  private async query(asked: Asked, reader: Headers, signal: AbortSignal): Promise<Response> {
    const session = this.sessions.current()
    try {
      return await this.post(asked, session, reader, signal)
    } catch (error) {
      if (!session || !isGone(error)) throw error
      this.sessions.remove(session.id)
      return this.post(asked, null, reader, signal)
    }
  }

  private post(asked: Asked, session: StoredSession | null, reader: Headers, signal: AbortSignal): Promise<Response> {
    const body: Omit<Partial<QueryRequest>, 'scope'> & PartOnWire = { query: asked.question, ...partOnWire(asked) }
    if (session) body.sessionId = session.id
    const headers = { Accept: 'text/event-stream', ...reader, ...tokenOf(session) }
    return this.server.call('/api/v1/query', { body, headers, signal })
  }

  async history(signal?: AbortSignal): Promise<Message[]> {
    const session = this.sessions.current()
    if (!session) return []
    try {
      const path = `${pathOf(session)}?limit=${MOST_MESSAGES}`
      const response = await this.server.call(path, {
        method: 'GET',
        headers: { ...(await authorizationOf(this.getToken)), ...tokenOf(session) },
        ...(signal ? { signal } : {}),
      })
      return this.ratings.putOn(messagesOf(await response.json()))
    } catch (error) {
      if (!isGone(error)) throw error
      this.sessions.remove(session.id)
      return []
    }
  }

  draft(): string {
    return ''
  }

  /** The server keeps what is said; what the reader thinks of it is kept here. */
  remember(messages: Message[]): void {
    this.ratings.keep(messages)
  }

  async conversations(next?: string): Promise<ConversationList> {
    const listed = await this.listed(await authorizationOf(this.getToken), next)
    return next === undefined ? together(listed, ownOf(this.sessions.all(), this.sessions.current()?.id)) : listed
  }

  /** None for readers who are not signed in, and where the server does not list them. */
  private async listed(reader: Headers, next?: string): Promise<ConversationList> {
    if (!reader.Authorization) return { entries: [] }
    const before = next === undefined ? '' : `&before=${encodeURIComponent(next)}`
    try {
      const path = `${SESSIONS}?limit=${MOST_LISTED}${before}`
      const response = await this.server.call(path, { method: 'GET', headers: reader })
      return listedOf(await response.json(), this.sessions.current()?.id)
    } catch (error) {
      if (!isGone(error)) throw error
      return { entries: [] }
    }
  }

  open(id: string): void {
    this.sessions.open(id)
  }

  startAnew(): void {
    this.sessions.putAside()
  }

  async forget(): Promise<void> {
    const reader = await authorizationOf(this.getToken)
    this.ratings.remove()
    for (const session of this.sessions.all()) await this.delete(session, reader)
    const deleted = new Set<string>()
    for (;;) {
      const { entries } = await this.listed(reader)
      const left = entries.filter(({ id }) => !deleted.has(id))
      if (!left.length) return
      for (const { id } of left) await this.delete({ id, token: '' }, reader)
      for (const { id } of left) deleted.add(id)
    }
  }

  private async delete(session: StoredSession, reader: Headers): Promise<void> {
    try {
      await this.server.call(pathOf(session), { method: 'DELETE', headers: { ...reader, ...tokenOf(session) } })
    } catch (error) {
      if (!isGone(error)) throw error
    }
    this.sessions.remove(session.id)
  }

  rate(answerId: string, rating: Rating, remark?: Remark): Promise<void> {
    return sendRating(this.server, answerId, rating, remark)
  }

  onChangeElsewhere(listener: () => void): () => void {
    return this.sessions.onChange(listener)
  }
}

function pathOf(session: StoredSession): string {
  return `${SESSIONS}/${encodeURIComponent(session.id)}`
}

function tokenOf(session: StoredSession | null): Headers {
  return session?.token ? { [TOKEN_HEADER]: session.token } : {}
}

function isGone(error: unknown): boolean {
  return error instanceof ChatError && error.status === 404
}

/** Reading `localStorage` itself throws where a browser forbids it. */
function localStorageIfAny(): Storage | undefined {
  try {
    return globalThis.localStorage
  } catch {
    return undefined
  }
}
