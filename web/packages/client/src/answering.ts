/** Reads an answer from a response, streamed or whole, in the words of any contract. */
import { ChatError, interruptedError } from './chatError'
import { framesOf } from './sseReader'
import type { AnswerEvent } from './types'
import { type Fields, fieldsOf, finishedOf, parsed, text } from './wire'

/** Pieces of the answer and its end. `ended` sees the last frame first, before anyone else does. */
export async function* streamedAnswer(
  response: Response,
  silence: number,
  signal: AbortSignal,
  ended: (frame: Fields) => void = () => undefined,
): AsyncGenerator<AnswerEvent, void, undefined> {
  if (!response.body) throw interruptedError()
  const frames = framesOf(response.body, silence)
  try {
    for await (const frame of frames) {
      signal.throwIfAborted()
      const fields = parsed(frame)
      if (typeof fields.error === 'string' && fields.error) throw new ChatError('interrupted', fields.error, true)
      const said = text(fields, 'chunk', 'content')
      if (said) yield { type: 'text', text: said }
      if (fields.done === true) {
        ended(fields)
        yield { type: 'done', answer: finishedOf(fields) }
        return
      }
    }
  } catch (error) {
    signal.throwIfAborted()
    throw error instanceof ChatError ? error : interruptedError()
  }
  signal.throwIfAborted()
  throw interruptedError()
}

/** An answer that comes in one piece. */
export async function* wholeAnswer(
  response: Response,
  signal: AbortSignal,
): AsyncGenerator<AnswerEvent, void, undefined> {
  const fields = fieldsOf(await jsonOf(response, signal))
  const answer = text(fields, 'answer')
  if (answer === undefined) throw interruptedError()
  yield { type: 'text', text: answer }
  yield { type: 'done', answer: finishedOf(fields) }
}

async function jsonOf(response: Response, signal: AbortSignal): Promise<unknown> {
  try {
    return await response.json()
  } catch {
    signal.throwIfAborted()
    throw interruptedError()
  }
}
