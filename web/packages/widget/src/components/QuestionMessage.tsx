/** What the reader has asked: plain text, with the passage it is about. */
import type { Message } from '@citebook/client'
import { memo, type ReactNode } from 'react'

export const QuestionMessage = memo(function QuestionMessage({ message }: { message: Message }): ReactNode {
  const { passage, content } = message
  return (
    <article className="cb-question" aria-label="You asked">
      {passage && (
        <blockquote className="cb-asked-passage">
          <span className="cb-passage-kind">{passage.strict ? 'Only this passage' : 'About this passage'}</span>
          <span className="cb-passage-text">{passage.text}</span>
        </blockquote>
      )}
      <p>{content}</p>
    </article>
  )
})
