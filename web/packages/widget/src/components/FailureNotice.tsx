/** What went wrong and what to do: ask again, or wait for a time that counts itself down. */
import { type ReactNode, useEffect, useState } from 'react'
import { useActions, useChatState } from './ChatContext'
import { FrequentQuestions } from './FrequentQuestions'
import { Icon } from './icons'
import { useInputFocus } from './surface'

export function FailureNotice(): ReactNode {
  const failure = useChatState((state) => state.failure)
  const waitUntil = useChatState((state) => state.waitUntil)
  const { retry } = useActions()
  const focusInput = useInputFocus()
  if (!failure) return null
  const askAgain = (): void => {
    retry()
    focusInput()
  }
  const isLimit = failure.kind === 'rate_limited'
  return (
    <>
      <div className={`cb-failure${isLimit ? ' cb-failure-limit' : ''}`}>
        <Icon name="warning" />
        <div>
          <p role="alert">{isLimit && waitUntil === null ? 'You can ask again now.' : failure.message}</p>
          {waitUntil !== null && <Countdown until={waitUntil} />}
          {failure.retryable && waitUntil === null && (
            <button type="button" className="cb-button" onClick={askAgain}>
              <Icon name="retry" /> Try again
            </button>
          )}
        </div>
      </div>
      <FrequentQuestions entries={failure.faq} />
    </>
  )
}

function Countdown({ until }: { until: number }): ReactNode {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  return (
    <p className="cb-countdown" role="timer">
      You can ask again in {clockOf(until - now)}.
    </p>
  )
}

export function clockOf(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000))
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60]
  return minutes ? `${minutes} min ${String(rest).padStart(2, '0')} s` : `${seconds} s`
}
