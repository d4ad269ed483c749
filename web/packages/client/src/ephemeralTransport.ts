/** A chat of which nothing is kept: not in the browser, and on the server neither a conversation nor a figure. */
import { streamedAnswer } from './answering'
import { sendRating } from './feedback'
import { type PartOnWire, partOnWire } from './filters'
import { Server } from './http'
import { askAboutPassage } from './selectedText'
import type { Mode, TextLimits, Transport, TransportOptions } from './transport'
import type { AnswerEvent, Asked, ConversationList, Message, Rating, Remark } from './types'
import type { Schemas } from './wireTypes'

const QUESTION: TextLimits = { min: 3, max: 1000 }

export class EphemeralTransport implements Transport {
  readonly mode: Mode = 'ephemeral'
  readonly partialText = 'replace'
  private readonly server: Server

  constructor(options: TransportOptions) {
    this.server = new Server(options, { 'X-Citebook-Keep': 'nothing' })
  }

  limits(): TextLimits {
    return QUESTION
  }

  async *ask(asked: Asked, signal: AbortSignal): AsyncGenerator<AnswerEvent, void, undefined> {
    const { question, passage, history } = asked
    if (passage) return yield* askAboutPassage(this.server, question, passage, signal)
    const body: Omit<Partial<Schemas['AskRequest']>, 'scope'> & PartOnWire = { question, ...partOnWire(asked) }
    if (history?.length) body.history = history
    const headers = { Accept: 'text/event-stream' }
    const response = await this.server.call('/api/ask/stream', { body, headers, signal })
    yield* streamedAnswer(response, this.server.silence, signal)
  }

  history(): Promise<Message[]> {
    return Promise.resolve([])
  }

  draft(): string {
    return ''
  }

  /** Nothing is kept. */
  remember(_messages: Message[], _draft: string): void {}

  conversations(): Promise<ConversationList> {
    return Promise.resolve({ entries: [] })
  }

  open(): void {}

  startAnew(): void {}

  forget(): Promise<void> {
    return Promise.resolve()
  }

  rate(answerId: string, rating: Rating, remark?: Remark): Promise<void> {
    return sendRating(this.server, answerId, rating, remark)
  }

  onChangeElsewhere(): () => void {
    return () => undefined
  }
}
