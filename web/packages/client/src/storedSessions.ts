/** Where a persistent chat remembers its sessions: localStorage, so that all tabs of a site share them. */

export interface StoredSession {
  id: string
  /** Empty where its reader was signed in, who needs none. */
  token: string
  /** The question it began with, and when it was last answered in; missing where its reader was signed in. */
  title?: string
  lastActivityAt?: string
}

interface Kept {
  current: StoredSession | null
  /** Conversations that were put aside and can be opened again; "clear history" deletes them as well. */
  earlier: StoredSession[]
  /** Counts up with each answer, so that other tabs notice. */
  revision: number
}

const EMPTY: Kept = { current: null, earlier: [], revision: 0 }
const MOST_EARLIER = 50

export class StoredSessions {
  private readonly key: string
  /** Used where the browser keeps nothing for us, until the page is left. */
  private memory: Kept = EMPTY

  constructor(
    server: string,
    private readonly storage: () => Storage | undefined,
  ) {
    this.key = `citebook:sessions:${server}`
  }

  current(): StoredSession | null {
    return this.read().current
  }

  all(): StoredSession[] {
    const { current, earlier } = this.read()
    return current ? [...earlier, current] : earlier
  }

  /** An answer has ended in this session. */
  keep(session: StoredSession): void {
    this.turnTo(session)
  }

  /** Goes on with a session that was put aside, or one that its reader needs no token for. */
  open(id: string): void {
    this.turnTo(this.all().find((session) => session.id === id) ?? { id, token: '' })
  }

  putAside(): void {
    this.turnTo(null)
  }

  private turnTo(session: StoredSession | null): void {
    const { current, earlier, revision } = this.read()
    const left = [...earlier, ...(current?.token ? [current] : [])].filter(({ id }) => id !== session?.id)
    this.write({ current: session, earlier: left.slice(-MOST_EARLIER), revision: revision + 1 })
  }

  remove(id: string): void {
    const { current, earlier, revision } = this.read()
    const left = earlier.filter((session) => session.id !== id)
    this.write({ current: current?.id === id ? null : current, earlier: left, revision: revision + 1 })
  }

  /** Calls when another tab has changed the conversation. */
  onChange(listener: () => void): () => void {
    const heard = (event: StorageEvent): void => {
      if (event.key === this.key || event.key === null) listener()
    }
    globalThis.addEventListener?.('storage', heard)
    return () => globalThis.removeEventListener?.('storage', heard)
  }

  private read(): Kept {
    try {
      const storage = this.storage()
      if (!storage) return this.memory
      const kept: unknown = JSON.parse(storage.getItem(this.key) ?? 'null')
      return isKept(kept) ? kept : EMPTY
    } catch {
      return this.memory // storage is switched off, or someone else wrote there
    }
  }

  private write(kept: Kept): void {
    this.memory = kept
    try {
      const isEmpty = !kept.current && !kept.earlier.length
      if (isEmpty) this.storage()?.removeItem(this.key)
      else this.storage()?.setItem(this.key, JSON.stringify(kept))
    } catch {
      // Storage is full or switched off: the chat goes on, and is forgotten when the page is left.
    }
  }
}

function isKept(value: unknown): value is Kept {
  if (typeof value !== 'object' || value === null) return false
  const { current, earlier, revision } = value as Record<string, unknown>
  const isCurrent = current === null || isSession(current)
  return isCurrent && Array.isArray(earlier) && earlier.every(isSession) && typeof revision === 'number'
}

function isSession(value: unknown): value is StoredSession {
  if (typeof value !== 'object' || value === null) return false
  const { id, token } = value as Record<string, unknown>
  return typeof id === 'string' && typeof token === 'string'
}
