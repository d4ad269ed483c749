/** The messages, in time order. The newest question stays at the top while its answer comes, so that it is read from its start. */
import { type ReactNode, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useWords } from '../words'
import { AnswerMessage } from './AnswerMessage'
import { useChatState } from './ChatContext'
import { EmptyState } from './EmptyState'
import { FailureNotice } from './FailureNotice'
import { Icon } from './icons'
import { QuestionMessage } from './QuestionMessage'

const NEAR_END = 48
const ABOVE_QUESTION = 12
const LINGER_MILLISECONDS = 600

export function Conversation(): ReactNode {
  const words = useWords()
  const messages = useChatState((state) => state.messages)
  const failure = useChatState((state) => state.failure)
  const { list, content, room, isAtEnd, jump } = usePinning(messages.length)
  const showsJump = useLinger(!isAtEnd)
  return (
    <div className="cb-conversation-frame">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard must reach it. */}
      <div className="cb-conversation" ref={list} tabIndex={0} role="region" aria-label={words.conversation}>
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
        <div ref={room} aria-hidden="true" />
      </div>
      {showsJump && (
        // In a row of its own: over the conversation it would lie on the last lines.
        <button type="button" className="cb-jump" onClick={jump}>
          <Icon name="latest" />
          <span>{words.jump}</span>
        </button>
      )}
    </div>
  )
}

/** The row goes a moment later than it could: nothing may move under a finger that is about to press. */
function useLinger(isWanted: boolean): boolean {
  const [isShown, setIsShown] = useState(isWanted)
  useEffect(() => {
    const timer = setTimeout(() => setIsShown(isWanted), isWanted ? 0 : LINGER_MILLISECONDS)
    return () => clearTimeout(timer)
  }, [isWanted])
  return isShown
}

/** Pinned: the last question is at the top. Following: the end is in view. Free: the reader has scrolled. */
type Hold = 'pinned' | 'following' | 'free'

function usePinning(count: number) {
  const list = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const room = useRef<HTMLDivElement>(null)
  const hold = useRef<Hold>('pinned')
  /** Where the question was put last: what grows below it, such as sections that come late, moves nothing. */
  const pinnedAt = useRef<number | null>(null)
  const [isAtEnd, setIsAtEnd] = useState(true)

  const settle = useCallback(() => {
    const [element, told, space] = [list.current, content.current, room.current]
    if (!element || !told || !space) return
    const end = told.offsetTop + told.offsetHeight
    const top = topOfLastQuestion(told)
    // Below a short answer there is room, so that its question can be at the top.
    space.style.height =
      hold.current === 'free' ? space.style.height : `${Math.max(0, top + element.clientHeight - end)}px`
    if (hold.current === 'pinned' && top !== pinnedAt.current) {
      element.scrollTop = top
      pinnedAt.current = top
    } else if (hold.current === 'following') element.scrollTop = Math.max(0, end - element.clientHeight)
    setIsAtEnd(end - element.scrollTop - element.clientHeight < NEAR_END)
  }, [])

  useEffect(() => {
    const element = list.current
    if (!element || !content.current) return
    const freed = (): void => {
      hold.current = 'free'
    }
    const scrolled = (): void => {
      const end = content.current!.offsetTop + content.current!.offsetHeight
      const isNear = end - element.scrollTop - element.clientHeight < NEAR_END
      if (hold.current === 'free' && isNear && element.scrollTop > topOfLastQuestion(content.current!))
        hold.current = 'following'
      setIsAtEnd(isNear)
    }
    // Text arrives, formulas are drawn late, the input grows: whatever changes a size.
    const resized = new ResizeObserver(settle)
    resized.observe(element)
    resized.observe(content.current)
    element.addEventListener('scroll', scrolled, { passive: true })
    for (const name of READERS_MOVES) element.addEventListener(name, freed, { passive: true })
    return () => {
      resized.disconnect()
      element.removeEventListener('scroll', scrolled)
      for (const name of READERS_MOVES) element.removeEventListener(name, freed)
    }
  }, [settle])

  // biome-ignore lint/correctness/useExhaustiveDependencies: each new question is shown, wherever one had scrolled to.
  useLayoutEffect(() => {
    hold.current = 'pinned'
    pinnedAt.current = null
    settle()
  }, [count, settle])

  const jump = useCallback(() => {
    const [element, told] = [list.current, content.current]
    if (!element || !told) return
    hold.current = 'following'
    const isCalm = globalThis.matchMedia?.('(prefers-reduced-motion: reduce)').matches
    const end = told.offsetTop + told.offsetHeight - element.clientHeight
    element.scrollTo({ top: Math.max(0, end), behavior: isCalm ? 'auto' : 'smooth' })
    element.focus({ preventScroll: true })
  }, [])
  return { list, content, room, isAtEnd, jump }
}

const READERS_MOVES = ['wheel', 'touchmove', 'keydown', 'pointerdown']

function topOfLastQuestion(told: HTMLElement): number {
  const questions = told.querySelectorAll<HTMLElement>('.cb-question')
  const last = questions[questions.length - 1]
  return last ? Math.max(0, last.offsetTop - ABOVE_QUESTION) : 0
}
