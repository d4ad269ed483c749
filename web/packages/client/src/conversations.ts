/** Stored conversations that can be opened again: those of a signed-in reader, and those whose tokens this browser keeps. */
import { fieldsOf, list, text, time, withoutMissing } from './checking'
import type { StoredSession } from './storedSessions'
import type { Conversation, ConversationList } from './types'
import type { SessionList } from './wireTypes'

/** A signed-in reader's sessions, as the server lists them. */
export function listedOf(body: unknown, currentId: string | undefined): ConversationList {
  const { sessions, hasMore } = fieldsOf<SessionList>(body)
  const entries = list(sessions).flatMap((value) => {
    const fields = fieldsOf<SessionList['sessions'][number]>(value)
    const id = text(fields.sessionId)
    return id ? [conversation(id, fields.title, fields.lastActivityAt, currentId)] : []
  })
  return withoutMissing({ entries, next: hasMore === true ? nextOf(list(sessions).at(-1)) : undefined })
}

/** The sessions that this browser can open by itself. */
export function ownOf(sessions: StoredSession[], currentId: string | undefined): Conversation[] {
  return [...sessions]
    .reverse()
    .filter(({ token }) => token)
    .map(({ id, title, lastActivityAt }) => conversation(id, title, lastActivityAt, currentId))
}

/** Both, each once, newest first. */
export function together({ entries, next }: ConversationList, own: Conversation[]): ConversationList {
  const known = new Set(entries.map(({ id }) => id))
  return withoutMissing({ entries: newestFirst([...entries, ...own.filter(({ id }) => !known.has(id))]), next })
}

export function newestFirst(entries: Conversation[]): Conversation[] {
  const at = ({ lastActivityAt }: Conversation): number => lastActivityAt?.getTime() ?? 0
  return [...entries].sort((one, other) => at(other) - at(one))
}

/** To the letter: a time of the server may be finer than one of the browser. */
function nextOf(last: unknown): string | undefined {
  const { lastActivityAt } = fieldsOf<SessionList['sessions'][number]>(last)
  return time(lastActivityAt) ? text(lastActivityAt) : undefined
}

function conversation(id: string, title: unknown, at: unknown, currentId: string | undefined): Conversation {
  return withoutMissing({ id, title: text(title) ?? '', lastActivityAt: time(at), isCurrent: id === currentId })
}
