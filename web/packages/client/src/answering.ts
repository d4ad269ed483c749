/** Reads an answer from a response, streamed or whole, in the words of any contract. */
import { ChatError, interruptedError } from './chatError'
import { framesOf } from './eventStream'
import type { AnswerEvent } from './types'
import { finishedOf, frameOf, pieceOf, wholeOf } from './wire'

/** Pieces of the answer and its end. `ended` sees the last frame first, before anyone else does. */
export async function* streamedAnswer(
  response: Response,
  silence: number,
  signal: AbortSignal,
  ended: (frame: ReturnType<typeof frameOf>) => void = () => undefined,
): AsyncGenerator<AnswerEvent, void, undefined> {
  if (!response.body) throw interruptedError()
  const frames = framesOf(response.body, silence)
  try {
    for await (const json of frames) {
      signal.throwIfAborted()
      const frame = frameOf(json)
      if (typeof frame.error === 'string' && frame.error) throw new ChatError('interrupted', frame.error, true)
      const piece = pieceOf(frame)
      if (piece) yield { type: 'text', ...piece }
      if (frame.done === true) {
        ended(frame)
        yield { type: 'done', answer: finishedOf(frame) }
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
  const body = await jsonOf(response, signal)
  const answer = wholeOf(body)
  if (answer === undefined) throw interruptedError()
  yield { type: 'text', ...answer }
  yield { type: 'done', answer: finishedOf(body) }
}

async function jsonOf(response: Response, signal: AbortSignal): Promise<unknown> {
  try {
    return await response.json()
  } catch {
    signal.throwIfAborted()
    throw interruptedError()
  }
}
