/** Something that is fetched: loading, there, or failed with a way to try again. */
import { ChatError } from '@citebook/client'
import { useCallback, useEffect, useState } from 'react'

export type Loaded<T> =
  | { state: 'loading' }
  | { state: 'there'; value: T }
  | { state: 'failed'; error: ChatError; retry: () => void }

/** What `key` names is fetched by `load`; what was fetched for another key is never shown. */
export function useLoaded<T>(key: string, load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [attempt, setAttempt] = useState(0)
  const [result, setResult] = useState<{ key: string; loaded: Loaded<T> }>()
  const retry = useCallback(() => setAttempt((number) => number + 1), [])

  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt fetches anew.
  useEffect(() => {
    const aborted = new AbortController()
    setResult(undefined)
    load(aborted.signal).then(
      (value) => !aborted.signal.aborted && setResult({ key, loaded: { state: 'there', value } }),
      (error: unknown) =>
        !aborted.signal.aborted && setResult({ key, loaded: { state: 'failed', error: worded(error), retry } }),
    )
    return () => aborted.abort()
  }, [key, load, attempt, retry])

  const isOffline = result?.loaded.state === 'failed' && result.loaded.error.kind === 'network'
  useEffect(() => {
    if (!isOffline) return
    addEventListener('online', retry)
    return () => removeEventListener('online', retry)
  }, [isOffline, retry])

  return result?.key === key ? result.loaded : { state: 'loading' }
}

function worded(error: unknown): ChatError {
  return error instanceof ChatError
    ? error
    : new ChatError('unknown', 'The server sent something that is not the book.', true)
}
