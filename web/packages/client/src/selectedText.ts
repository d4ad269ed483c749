/** Questions about text that the reader has selected: two contracts, one for each meaning of it. */
import { wholeAnswer } from './answering'
import type { Server } from './http'
import type { AnswerEvent, Passage } from './types'

/** As the `ask` contract has it. */
export const STRICT_PASSAGE = { min: 10, max: 10_000 }
/** As the `textbook` contract has it. */
const MOST_LOOSE_WORDS = 200

export async function* askAboutPassage(
  server: Server,
  question: string,
  passage: Passage,
  signal: AbortSignal,
): AsyncGenerator<AnswerEvent, void, undefined> {
  const response = passage.strict
    ? await server.call('/api/ask-selected', {
        body: { question, selected_text: passage.text.slice(0, STRICT_PASSAGE.max) },
        signal,
      })
    : await server.call('/api/query', {
        body: { query: question, selected_text: firstWords(passage.text, MOST_LOOSE_WORDS) },
        signal,
      })
  yield* wholeAnswer(response, signal)
}

function firstWords(text: string, most: number): string {
  return text.trim().split(/\s+/).slice(0, most).join(' ')
}
