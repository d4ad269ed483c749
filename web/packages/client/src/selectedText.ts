/** Questions about text that the reader has selected: two contracts, one for each meaning of it. */
import { wholeAnswer } from './answering'
import type { Server } from './http'
import type { AnswerEvent, Passage } from './types'
import type { Schemas } from './wireTypes'

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
  const response = await (passage.strict ? askStrictly : askLoosely)(server, question, passage.text, signal)
  yield* wholeAnswer(response, signal)
}

function askStrictly(server: Server, question: string, text: string, signal: AbortSignal): Promise<Response> {
  const body: Schemas['AskSelectedRequest'] = { question, selected_text: text.slice(0, STRICT_PASSAGE.max) }
  return server.call('/api/ask-selected', { body, signal })
}

function askLoosely(server: Server, question: string, text: string, signal: AbortSignal): Promise<Response> {
  const body: Schemas['QueryRequest'] = { query: question, selected_text: firstWords(text, MOST_LOOSE_WORDS) }
  return server.call('/api/query', { body, signal })
}

function firstWords(text: string, most: number): string {
  return text.trim().split(/\s+/).slice(0, most).join(' ')
}
