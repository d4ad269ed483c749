/** An answer: its text with citation chips, whether it answers, its sources, and what the reader can do with it. */
import type { AnswerPart, Message, TokenUsage } from '@citebook/client'
import { memo, type ReactNode, useCallback } from 'react'
import { PlainAnswer, RenderedAnswer } from '../rendering'
import { filled, useWords, type WordsOfChat } from '../words'
import { AnswerActions } from './AnswerActions'
import { useActions, useChatState, useQuestionBefore } from './ChatContext'
import { CitationChip } from './CitationChip'
import { Confidence, LowConfidenceBand } from './Confidence'
import { GoOn } from './GoOn'
import { isQuoted } from './quoted'
import { Sources } from './Sources'
import { isUnsure, NearSections } from './Suggestions'

const NONE: never[] = []

export const AnswerMessage = memo(function AnswerMessage({ message }: { message: Message }): ReactNode {
  const words = useWords()
  const { content, isStreaming = false, incomplete, outcome } = message
  const isSettled = !isStreaming && !incomplete
  const isRefused = outcome === 'refused' && message.support !== 'talk'
  return (
    <article
      className={`cb-answer${isRefused ? ' cb-refused' : ''}`}
      aria-label={labelOf(message, words)}
      aria-busy={isStreaming}
    >
      {isSettled && !isRefused && message.lowConfidence && <LowConfidenceBand />}
      {isSettled && <ChangedBook message={message} />}
      {message.corrected && (
        <p className="cb-corrected">
          {words.corrected} <em>{message.corrected}</em>
        </p>
      )}
      {content ? <AnswerText message={message} /> : <Searching />}
      {message.filterMessage && <p className="cb-filter-note">{message.filterMessage}</p>}
      {incomplete && <IncompleteMark message={message} />}
      {isSettled && <Below message={message} isRefused={isRefused} />}
    </article>
  )
})

/** What stands below an answer that is whole. */
function Below({ message, isRefused }: { message: Message; isRefused: boolean }): ReactNode {
  return (
    <>
      <Sources citations={message.citations ?? NONE} />
      {isRefused && <WiderSearch message={message} />}
      {isUnsure(message) && <NearSections message={message} />}
      <Footer message={message} />
      {message.tokensUsed && <Tokens used={message.tokensUsed} />}
      {!isUnsure(message) && <GoOn message={message} />}
    </>
  )
}

function Footer({ message }: { message: Message }): ReactNode {
  return (
    <footer className="cb-answer-footer">
      {message.outcome !== 'refused' && <Confidence message={message} />}
      <AnswerActions message={message} />
    </footer>
  )
}

function labelOf({ outcome, support }: Message, words: WordsOfChat): string {
  if (support === 'talk') return words.reply
  return outcome === 'refused' ? words.notFound : words.answer
}

function AnswerText({ message }: { message: Message }): ReactNode {
  const words = useWords()
  const { content, parts, citations = NONE, tokensUsed } = message
  const question = useQuestionBefore(message.id) ?? ''
  const citation = useCallback(
    (position: number) => {
      const cited = citations[position - 1]
      return cited ? (
        <CitationChip number={position} citation={cited} question={question} />
      ) : (
        <span className="cb-chip cb-chip-waiting">{position}</span>
      )
    },
    [citations, question],
  )
  // Where no language model writes, every sentence is the book's own.
  const isWritten = tokensUsed !== undefined
  const quote = useCallback(
    (part: AnswerPart) => (isWritten && isQuoted(part, citations) ? words.quoted : undefined),
    [isWritten, citations, words],
  )
  return parts ? <RenderedAnswer parts={parts} citation={citation} quote={quote} /> : <PlainAnswer text={content} />
}

/** Said of an answer to a link that was made with another edition of the book. */
function ChangedBook({ message: { edition, sharedEdition } }: { message: Message }): ReactNode {
  const words = useWords()
  if (!edition || !sharedEdition || edition === sharedEdition) return null
  return <p className="cb-filter-note cb-changed">{words.bookChanged}</p>
}

/** Offered when the passage or the page alone has no answer. */
function WiderSearch({ message }: { message: Message }): ReactNode {
  const words = useWords()
  const { askWholeBook } = useActions()
  const isLast = useChatState((state) => state.messages.at(-1)?.id === message.id)
  if (!isLast || !(message.passage?.strict || message.scope)) return null
  return (
    <button type="button" className="cb-button cb-wider" onClick={askWholeBook}>
      {words.askWholeBook}
    </button>
  )
}

/** What a language model took to write the answer, in one small line. */
function Tokens({ used: { input, output, total } }: { used: TokenUsage }): ReactNode {
  const words = useWords()
  const [all = '', read = '', written = ''] = [total, input, output].map((count) => count.toLocaleString())
  return <p className="cb-tokens">{filled(words.tokens, { all, read, written })}</p>
}

function Searching(): ReactNode {
  return (
    <p className="cb-searching">
      <span className="cb-dots" aria-hidden="true">
        <i />
        <i />
        <i />
      </span>
      {useWords().searching}
    </p>
  )
}

function IncompleteMark({ message }: { message: Message }): ReactNode {
  const words = useWords()
  const { retry } = useActions()
  const isLast = useChatState((state) => state.messages.at(-1)?.id === message.id)
  const isStopped = message.incomplete === 'stopped'
  const hasNotice = useChatState((state) => state.failure !== null)
  return (
    <p className="cb-incomplete">
      <span>{isStopped ? words.stopped : words.incomplete}</span>
      {isLast && !hasNotice && (
        <button type="button" className="cb-text-button" onClick={retry}>
          {words.askAgain}
        </button>
      )}
    </p>
  )
}
