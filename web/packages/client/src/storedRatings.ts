/** What this browser's reader thought of the answers of a persistent chat, so that it shows after a reload. */
import { fieldsOf } from './checking'
import { ratingOf } from './keptChats'
import type { Message, Rating } from './types'

const MOST_RATINGS = 200

export class StoredRatings {
  private readonly key: string

  constructor(
    server: string,
    private readonly storage: () => Storage | undefined,
  ) {
    this.key = `citebook:ratings:${server}`
  }

  keep(messages: Message[]): void {
    const given = messages.flatMap(({ answerId, rating }) =>
      answerId && rating ? [[answerId, rating] as const] : [],
    )
    if (!given.length) return
    const before = this.read()
    if (given.every(([id, rating]) => before.get(id) === rating)) return
    const all = [...new Map([...before, ...given])].slice(-MOST_RATINGS)
    try {
      this.storage()?.setItem(this.key, JSON.stringify(Object.fromEntries(all)))
    } catch {
      // Storage is full or switched off: the thumbs are forgotten when the page is left.
    }
  }

  putOn(messages: Message[]): Message[] {
    const known = this.read()
    return messages.map((message) => {
      const rating = message.answerId === undefined ? undefined : known.get(message.answerId)
      return rating ? { ...message, rating } : message
    })
  }

  remove(): void {
    try {
      this.storage()?.removeItem(this.key)
    } catch {
      // Storage is switched off: there is nothing to remove.
    }
  }

  private read(): Map<string, Rating> {
    try {
      const kept = Object.entries(
        fieldsOf<Record<string, unknown>>(JSON.parse(this.storage()?.getItem(this.key) ?? 'null')),
      )
      return new Map(kept.flatMap(([id, value]) => (ratingOf(value) ? [[id, ratingOf(value)!]] : [])))
    } catch {
      return new Map()
    }
  }
}
