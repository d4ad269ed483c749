/** An answer: its text with citation chips, whether it answers, its sources, and what the reader can do with it. */
import type { Message, TokenUsage } from '@citebook/client'
import { memo, type ReactNode, useCallback } from 'react'
import { PlainAnswer, RenderedAnswer } from '../rendering'
import { AnswerActions } from './AnswerActions'
import { useActions, useChatState } from './ChatContext'
import { CitationChip } from './CitationChip'
import { Confidence, LowConfidenceBand } from './Confidence'
import { Sources } from './Sources'
import { Suggestions } from './Suggestions'

const NONE: never[] = []

export const AnswerMessage = memo(function AnswerMessage({ message }: { message: Message }): ReactNode {
  const { content, isStreaming = false, incomplete, outcome } = message
  const citations = message.citations ?? NONE
  const isSettled = !isStreaming && !incomplete
  const isRefused = outcome === 'refused' && message.support !== 'talk'
  return (
    <article
      className={`cb-answer${isRefused ? ' cb-refused' : ''}`}
      aria-label={labelOf(message)}
      aria-busy={isStreaming}
    >
      {isSettled && !isRefused && message.lowConfidence && <LowConfidenceBand />}
      {message.corrected && (
        <p className="cb-corrected">
          Showing results for <em>{message.corrected}</em>
        </p>
      )}
      {content ? <AnswerText message={message} /> : <Searching />}
      {message.filterMessage && <p className="cb-filter-note">{message.filterMessage}</p>}
      {incomplete && <IncompleteMark message={message} />}
      {isSettled && <Sources citations={citations} />}
      {isSettled && isRefused && <WiderSearch message={message} />}
      {isSettled && message.suggestions && <Suggestions suggestions={message.suggestions} />}
      {isSettled && <Footer message={message} />}
      {message.tokensUsed && <Tokens used={message.tokensUsed} />}
    </article>
  )
})

function Footer({ message }: { message: Message }): ReactNode {
  return (
    <footer className="cb-answer-footer">
      {message.outcome !== 'refused' && <Confidence message={message} />}
      <AnswerActions message={message} />
    </footer>
  )
}

function labelOf({ outcome, support }: Message): string {
  if (support === 'talk') return 'Reply'
  return outcome === 'refused' ? 'Not found in the book' : 'Answer'
}

function AnswerText({ message: { content, parts, citations = NONE } }: { message: Message }): ReactNode {
  const citation = useCallback(
    (position: number) => {
      const cited = citations[position - 1]
      return cited ? (
        <CitationChip number={position} citation={cited} />
      ) : (
        <span className="cb-chip cb-chip-waiting">{position}</span>
      )
    },
    [citations],
  )
  return parts ? <RenderedAnswer parts={parts} citation={citation} /> : <PlainAnswer text={content} />
}

/** Offered when the passage alone has no answer. */
function WiderSearch({ message }: { message: Message }): ReactNode {
  const { askWholeBook } = useActions()
  const isLast = useChatState((state) => state.messages.at(-1)?.id === message.id)
  if (!isLast || !message.passage?.strict) return null
  return (
    <button type="button" className="cb-button cb-wider" onClick={askWholeBook}>
      Ask the whole book
    </button>
  )
}

/** What a language model took to write the answer, in one small line. */
function Tokens({ used: { input, output, total } }: { used: TokenUsage }): ReactNode {
  const [all, read, written] = [total, input, output].map((count) => count.toLocaleString())
  return (
    <p className="cb-tokens">
      {all} tokens used: {read} read, {written} written
    </p>
  )
}

function Searching(): ReactNode {
  return (
    <p className="cb-searching">
      <span className="cb-dots" aria-hidden="true">
        <i />
        <i />
        <i />
      </span>
      Searching the book…
    </p>
  )
}

function IncompleteMark({ message }: { message: Message }): ReactNode {
  const { retry } = useActions()
  const isLast = useChatState((state) => state.messages.at(-1)?.id === message.id)
  const isStopped = message.incomplete === 'stopped'
  const hasNotice = useChatState((state) => state.failure !== null)
  return (
    <p className="cb-incomplete">
      <span>{isStopped ? 'You stopped this answer. It is incomplete.' : 'This answer is incomplete.'}</span>
      {isLast && !hasNotice && (
        <button type="button" className="cb-text-button" onClick={retry}>
          Ask again
        </button>
      )}
    </p>
  )
}
