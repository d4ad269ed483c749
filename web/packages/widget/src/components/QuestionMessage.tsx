/** What the reader has asked: plain text, with the passage or the page that it is about. */
import type { Message } from '@citebook/client'
import { memo, type ReactNode } from 'react'
import { filled, isolated, useWords } from '../words'

export const QuestionMessage = memo(function QuestionMessage({ message }: { message: Message }): ReactNode {
  const words = useWords()
  const { passage, scope, content } = message
  return (
    <article className="cb-question" aria-label={words.youAsked}>
      {passage && (
        <blockquote className="cb-asked-passage">
          <span className="cb-passage-kind">{passage.strict ? words.onlyPassage : words.aboutPassage}</span>
          <span className="cb-passage-text">{passage.text}</span>
        </blockquote>
      )}
      {scope && <p className="cb-asked-scope">{filled(words.onlyScope, { title: isolated(scope.title) })}</p>}
      <p dir="auto">{content}</p>
    </article>
  )
})
