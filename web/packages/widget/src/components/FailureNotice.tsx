/** What went wrong and what to do: ask again, or wait for a time that counts itself down. */
import { type ReactNode, useEffect, useState } from 'react'
import type { Failure } from '../store/chatState'
import { english, filled, useWords, type WordsOfChat } from '../words'
import { useActions, useChatState } from './ChatContext'
import { FrequentQuestions } from './FrequentQuestions'
import { Icon } from './icons'
import { useInputFocus } from './surface'

export function FailureNotice(): ReactNode {
  const words = useWords()
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
          <p role="alert">{isLimit && waitUntil === null ? words.canAskNow : worded(failure, words)}</p>
          {waitUntil !== null && <Countdown until={waitUntil} />}
          {failure.retryable && waitUntil === null && (
            <button type="button" className="cb-button" onClick={askAgain}>
              <Icon name="retry" /> {words.again}
            </button>
          )}
        </div>
      </div>
      <FrequentQuestions entries={failure.faq} />
    </>
  )
}

function Countdown({ until }: { until: number }): ReactNode {
  const words = useWords()
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  return (
    <p className="cb-countdown" role="timer">
      {filled(words.canAskIn, { time: clockOf(until - now) })}
    </p>
  )
}

const OWN_WORDS = ['network', 'interrupted', 'limited', 'gone'] as const

/** What the chat itself says is said in the reader's language, what the server says in its own. */
function worded({ message }: Failure, words: WordsOfChat): string {
  const own = OWN_WORDS.find((name) => english[name] === message)
  return own ? words[own] : message
}

export function clockOf(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000))
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60]
  return minutes ? `${minutes} min ${String(rest).padStart(2, '0')} s` : `${seconds} s`
}
