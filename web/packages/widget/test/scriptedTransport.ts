/** A transport whose answers a test speaks word by word. */
import type {
  AnswerEvent,
  AnswerPart,
  Asked,
  ConversationList,
  FinishedAnswer,
  Message,
  Mode,
  Passage,
  Rating,
  Remark,
  TextLimits,
  Transport,
} from '@citebook/client'

type Step = { event: AnswerEvent } | { error: unknown } | { end: true }

export class ScriptedTransport implements Transport {
  readonly asked: Asked[] = []
  readonly rated: [string, Rating, Remark | undefined][] = []
  readonly aborted: boolean[] = []
  kept: Message[] = []
  keptDraft = ''
  readonly remembered: { messages: Message[]; draft: string }[] = []
  listed: ConversationList[] = []
  readonly opened: string[] = []
  forgotten = 0
  startedAnew = 0
  failNextRating = false
  private readonly steps: Step[] = []
  private wake: (() => void) | null = null
  private changed: (() => void) | null = null

  constructor(
    readonly mode: Mode = 'ephemeral',
    readonly partialText: 'keep' | 'replace' = mode === 'persistent' ? 'keep' : 'replace',
  ) {}

  limits(_passage?: Passage): TextLimits {
    return { min: 3, max: 100 }
  }

  async *ask(asked: Asked, signal: AbortSignal): AsyncGenerator<AnswerEvent, void, undefined> {
    const index = this.asked.push(asked) - 1
    this.aborted[index] = false
    signal.addEventListener('abort', () => {
      this.aborted[index] = true
      this.wake?.()
    })
    for (;;) {
      while (!this.steps.length && !signal.aborted) await this.nextStep()
      signal.throwIfAborted()
      const step = this.steps.shift()!
      if ('error' in step) throw step.error
      if ('end' in step) return
      yield step.event
    }
  }

  /** Says a text, and what it is as blocks where that is told. */
  say(text: string, parts?: AnswerPart[]): Promise<void> {
    return this.step({ event: { type: 'text', text, ...(parts ? { parts } : {}) } })
  }

  async finish(answer: Partial<FinishedAnswer> = {}): Promise<void> {
    await this.step({ event: { type: 'done', answer: { citations: [], ...answer } } })
    await this.step({ end: true })
  }

  fail(error: unknown): Promise<void> {
    return this.step({ error })
  }

  private nextStep(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve
    })
  }

  private async step(step: Step): Promise<void> {
    this.steps.push(step)
    this.wake?.()
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
  }

  history(): Promise<Message[]> {
    return Promise.resolve(this.kept)
  }

  draft(): string {
    return this.keptDraft
  }

  remember(messages: Message[], draft: string): void {
    this.remembered.push({ messages, draft })
  }

  /** The first list, or the one behind it that is asked for by its number. */
  conversations(next = '0'): Promise<ConversationList> {
    const list = this.listed[Number(next)] ?? { entries: [] }
    return Promise.resolve(list)
  }

  open(id: string): void {
    this.opened.push(id)
  }

  startAnew(): void {
    this.startedAnew += 1
  }

  forget(): Promise<void> {
    this.forgotten += 1
    return Promise.resolve()
  }

  rate(answerId: string, rating: Rating, remark?: Remark): Promise<void> {
    if (this.failNextRating) return Promise.reject(new Error('no'))
    this.rated.push([answerId, rating, remark])
    return Promise.resolve()
  }

  onChangeElsewhere(listener: () => void): () => void {
    this.changed = listener
    return () => {
      this.changed = null
    }
  }

  async changeElsewhere(): Promise<void> {
    this.changed?.()
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
  }
}
