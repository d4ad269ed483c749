/** What one sees where there is nothing to read: no book yet, or something that could not be fetched. */
import type { ReactNode } from 'react'
import type { Loaded } from './useLoaded'

export function NoBook(): ReactNode {
  return (
    <div className="notice">
      <h1>There is no book here yet</h1>
      <p>The server is running, but no book has been read into it. Whoever runs it can do that with one command:</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: on a narrow screen it scrolls, and the keyboard must reach it. */}
      <pre tabIndex={0}>
        <code>citebook ingest path/to/the/book</code>
      </pre>
      <p>Then load this page again.</p>
    </div>
  )
}

interface FailedProps {
  what: string
  failure: Extract<Loaded<unknown>, { state: 'failed' }>
}

export function Failed({ what, failure: { error, retry } }: FailedProps): ReactNode {
  const isOffline = error.kind === 'network'
  return (
    <div className="notice" role="alert">
      <h1>{isOffline ? 'The server cannot be reached' : `${what} cannot be shown`}</h1>
      <p>
        {isOffline
          ? 'Check your connection. This page tries again by itself when you are back online.'
          : error.message}
      </p>
      <button type="button" className="button" onClick={retry}>
        Try again
      </button>
    </div>
  )
}
