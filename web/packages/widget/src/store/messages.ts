/** How messages of one conversation are told apart and put together. */
import type { Message } from '@citebook/client'

/** What the server keeps, with what only this tab knows: ratings, and questions about a passage, which are not kept. */
export function merged(kept: Message[], shown: Message[]): Message[] {
  const left = [...shown]
  const known = kept.map((message) => {
    const index = left.findIndex(({ role, content }) => role === message.role && content === message.content)
    const [own] = index < 0 ? [] : left.splice(index, 1)
    return own ? { ...message, ...own, timestamp: message.timestamp } : message
  })
  const unkept = left.filter((message) => message.passage)
  return [...known, ...unkept].sort((one, other) => one.timestamp.getTime() - other.timestamp.getTime())
}

/** A UUID of version 4. `crypto.randomUUID` is missing on pages without TLS. */
export function newId(): string {
  if (typeof crypto.randomUUID === 'function') return crypto.randomUUID()
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})/, '$1-$2-4$3-8$4-')
}
