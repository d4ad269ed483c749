/** Two or three questions that lead on from the last answer. */
import type { Message } from '@citebook/client'
import type { ReactNode } from 'react'
import { useWords } from '../words'
import { useActions, useChatState } from './ChatContext'
import { useInputFocus } from './surface'
import { useFurtherQuestions } from './useStartingQuestions'

export function GoOn({ message }: { message: Message }): ReactNode {
  const words = useWords()
  const { ask } = useActions()
  const focusInput = useInputFocus()
  const isLast = useChatState((state) => state.messages.at(-1)?.id === message.id)
  const questions = useFurtherQuestions(isLast ? message.citations?.[0]?.url : undefined)
  if (!isLast || !questions.length) return null
  const go = (question: string): void => {
    ask(question)
    focusInput()
  }
  return (
    <nav className="cb-go-on" aria-label={words.goOn}>
      <p>{words.goOn}</p>
      <ul className="cb-examples">
        {questions.map((question) => (
          <li key={question}>
            <button type="button" onClick={() => go(question)}>
              <bdi>{question}</bdi>
            </button>
          </li>
        ))}
      </ul>
    </nav>
  )
}
