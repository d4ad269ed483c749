/** One error for all contracts: what happened, in words for the reader, and whether asking again can help. */
import { fieldsOf, list, text, withoutMissing } from './checking'
import type { ErrorContext, ErrorType, FrequentQuestion } from './types'

export type ChatErrorKind = 'rate_limited' | 'unavailable' | 'invalid' | 'network' | 'interrupted' | 'unknown'

export class ChatError extends Error {
  override readonly name = 'ChatError'

  constructor(
    readonly kind: ChatErrorKind,
    message: string,
    readonly retryable: boolean,
    /** Seconds until the server takes the next question. */
    readonly retryAfter?: number,
    /** The HTTP status, where there was a response. */
    readonly status?: number,
    /** What the server called the error. */
    readonly code?: string,
    /** What the server can tell while the book cannot be searched. */
    readonly faq: FrequentQuestion[] = [],
  ) {
    super(message)
  }

  /** The same in the words of the `agent` contract. */
  get context(): ErrorContext {
    const error_type = TYPES_OF_CODES.get(this.code ?? '') ?? TYPES_OF_KINDS[this.kind]
    return { error_type, user_safe_message: this.message, retry_able: this.retryable }
  }
}

const TYPES_OF_KINDS: Record<ChatErrorKind, ErrorType> = {
  rate_limited: 'validation',
  unavailable: 'unknown',
  invalid: 'validation',
  network: 'network',
  interrupted: 'network',
  unknown: 'unknown',
}
const TYPES_OF_CODES = new Map<string, ErrorType>([
  ['network', 'network'],
  ['database', 'database'],
  ['llm', 'llm'],
  ['validation', 'validation'],
  ['agent', 'agent'],
  ['VECTOR_STORE_UNAVAILABLE', 'database'],
  ['DATABASE_ERROR', 'database'],
  ['SEARCH_ERROR', 'database'],
  ['LLM_TIMEOUT', 'llm'],
  ['OPENAI_ERROR', 'llm'],
  ['TIMEOUT', 'llm'],
  ['EMBEDDING_ERROR', 'agent'],
])

const DEFAULT_WAIT_SECONDS = 60
const LONGEST_WAIT_SECONDS = 86_400
const MOST_MESSAGE_CHARACTERS = 500
const MOST_FREQUENT_QUESTIONS = 20

export const networkError = (): ChatError =>
  new ChatError('network', 'The server cannot be reached. Check your connection and try again.', true)

export const interruptedError = (): ChatError =>
  new ChatError('interrupted', 'The connection was lost before the answer was complete.', true)

/** Words the error of a response, whichever contract it speaks: `{detail}`, `{error: {…}}` or `{error, message}`. */
export async function errorOfResponse(response: Response): Promise<ChatError> {
  const body = await bodyOf(response)
  const retryAfter = secondsOf(response.headers.get('Retry-After')) ?? secondsOf(body.retryAfter)
  const { status } = response
  if (status === 429) {
    const message = 'You have asked as many questions as are allowed for now.'
    return new ChatError('rate_limited', message, true, retryAfter ?? DEFAULT_WAIT_SECONDS, status, body.code)
  }
  if (status >= 500) {
    return new ChatError(
      'unavailable',
      body.message ?? 'The server cannot answer right now.',
      true,
      retryAfter,
      status,
      body.code,
      body.faq,
    )
  }
  if (status === 400 || status === 413 || status === 422) {
    return new ChatError(
      'invalid',
      body.message ?? 'The server does not accept this question.',
      false,
      undefined,
      status,
      body.code,
    )
  }
  const message = body.message ?? 'The question could not be answered.'
  const mayBeSignedInAgain = status === 401
  return new ChatError('unknown', message, mayBeSignedInAgain, undefined, status, body.code)
}

interface ErrorBody {
  code?: string
  message?: string
  retryAfter?: unknown
  faq?: FrequentQuestion[]
}

async function bodyOf(response: Response): Promise<ErrorBody> {
  try {
    return wordsOf(await response.json())
  } catch {
    return {}
  }
}

function wordsOf(body: unknown): ErrorBody {
  if (typeof body !== 'object' || body === null) return {}
  const { detail, details, error, message } = body as Record<string, unknown>
  if (typeof error === 'object' && error !== null) {
    const inner = error as Record<string, unknown>
    const faq = faqOf(inner.fallbackFaq)
    return { code: textOf(inner.code), message: textOf(inner.message), retryAfter: inner.retryAfter, faq }
  }
  const faq = faqOf(fieldsOf<{ fallback_faq: unknown }>(details).fallback_faq)
  return { code: textOf(error), message: textOf(message) ?? textOf(detail), faq }
}

/** An operator's own file may hold anything: what has a question and an answer is taken. */
function faqOf(value: unknown): FrequentQuestion[] {
  const told = list(value).flatMap((each) => {
    const fields = fieldsOf<FrequentQuestion>(each)
    const [question, answer] = [text(fields.question)?.trim(), text(fields.answer)?.trim()]
    return question && answer ? [withoutMissing({ question, answer, url: text(fields.url) })] : []
  })
  return told.slice(0, MOST_FREQUENT_QUESTIONS)
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() ? value.slice(0, MOST_MESSAGE_CHARACTERS) : undefined
}

function secondsOf(value: unknown): number | undefined {
  if (value === null || value === undefined || value === '') return undefined
  const seconds = Number(value)
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(Math.ceil(seconds), LONGEST_WAIT_SECONDS) : undefined
}
