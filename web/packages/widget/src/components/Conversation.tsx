/** The messages, in time order; it follows the newest one unless the reader has scrolled away. */
import { type ReactNode, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { AnswerMessage } from './AnswerMessage'
import { useChatState } from './ChatContext'
import { EmptyState } from './EmptyState'
import { FailureNotice } from './FailureNotice'
import { Icon } from './icons'
import { QuestionMessage } from './QuestionMessage'

const NEAR_END = 48

export function Conversation(): ReactNode {
  const messages = useChatState((state) => state.messages)
  const failure = useChatState((state) => state.failure)
  const { list, content, isAtEnd, jump } = useFollowing(messages.length)
  return (
    <div className="cb-conversation-frame">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard must reach it. */}
      <div className="cb-conversation" ref={list} tabIndex={0} role="region" aria-label="Conversation">
        <div ref={content}>
          {messages.length === 0 && !failure && <EmptyState />}
          {messages.map((message) =>
            message.role === 'user' ? (
              <QuestionMessage key={message.id} message={message} />
            ) : (
              <AnswerMessage key={message.id} message={message} />
            ),
          )}
          <FailureNotice />
        </div>
      </div>
      {!isAtEnd && (
        <button type="button" className="cb-jump" onClick={jump}>
          <Icon name="latest" />
          <span>Jump to latest</span>
        </button>
      )}
    </div>
  )
}

function useFollowing(count: number) {
  const list = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const isFollowing = useRef(true)
  const [isAtEnd, setIsAtEnd] = useState(true)

  useEffect(() => {
    const element = list.current
    if (!element || !content.current) return
    let before = element.scrollTop
    const scrolled = (): void => {
      const isNear = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END
      // Only the reader scrolls upwards; text that has just come may also leave the end out of sight.
      if (isNear) isFollowing.current = true
      else if (element.scrollTop < before) isFollowing.current = false
      before = element.scrollTop
      setIsAtEnd(isNear || isFollowing.current)
    }
    // Text arrives, formulas are drawn late, the input grows: whatever changes a size.
    const resized = new ResizeObserver(() => {
      if (isFollowing.current) element.scrollTop = element.scrollHeight
      scrolled()
    })
    resized.observe(element)
    resized.observe(content.current)
    element.addEventListener('scroll', scrolled, { passive: true })
    return () => {
      resized.disconnect()
      element.removeEventListener('scroll', scrolled)
    }
  }, [])

  // biome-ignore lint/correctness/useExhaustiveDependencies: each new message is shown, wherever one had scrolled to.
  useLayoutEffect(() => {
    isFollowing.current = true
    if (list.current) list.current.scrollTop = list.current.scrollHeight
  }, [count])

  const jump = useCallback(() => {
    const element = list.current
    if (!element) return
    isFollowing.current = true
    const isCalm = globalThis.matchMedia?.('(prefers-reduced-motion: reduce)').matches
    element.scrollTo({ top: element.scrollHeight, behavior: isCalm ? 'auto' : 'smooth' })
    element.focus({ preventScroll: true })
  }, [])
  return { list, content, isAtEnd, jump }
}
