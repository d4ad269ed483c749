/** What a reader thinks of an answer. */
import type { Server } from './http'
import type { Rating, Remark } from './types'
import type { Schemas } from './wireTypes'

export const MOST_NOTE_CHARACTERS = 1000

export async function sendRating(
  server: Server,
  answerId: string,
  rating: Rating,
  { note, reason }: Remark = {},
): Promise<void> {
  const said = note?.trim().slice(0, MOST_NOTE_CHARACTERS)
  const body: Schemas['FeedbackRequest'] = {
    answer_id: answerId,
    rating,
    ...(said ? { note: said } : {}),
    ...(reason ? { reason } : {}),
  }
  await server.call('/api/feedback', { body })
}
