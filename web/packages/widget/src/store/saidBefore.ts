/** The last exchanges of a chat that nobody keeps: they travel with the next question, so that it may be a follow-up. */
import type { Exchange, Message } from '@citebook/client'

/** As many as the server uses. */
const MOST_EXCHANGES = 5
/** As the contract has it. */
const MOST_CHARACTERS = 10_000

/** Whole answers only. Questions about a passage are left out, as they are in stored conversations. */
export function saidBefore(messages: Message[]): Exchange[] {
  const exchanges = messages.flatMap((answer, index) => {
    const question = messages[index - 1]
    const isWhole = answer.role === 'assistant' && answer.content && !answer.incomplete && !answer.isStreaming
    if (!isWhole || answer.passage || question?.role !== 'user') return []
    return [{ question: cut(question.content), answer: cut(answer.content) }]
  })
  return exchanges.slice(-MOST_EXCHANGES)
}

/** Half of a pair of surrogates would be no text. */
function cut(text: string): string {
  return text.slice(0, MOST_CHARACTERS).replace(/[\ud800-\udbff]$/, '')
}
