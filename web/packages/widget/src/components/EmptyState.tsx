/** What one sees before the first question. */
import type { ReactNode } from 'react'
import { filled, isolated, useWords } from '../words'
import { useActions, useChat, useChatState, useHere } from './ChatContext'
import { Icon } from './icons'
import { useInputFocus } from './surface'
import { useStartingQuestions } from './useStartingQuestions'

export function EmptyState(): ReactNode {
  const words = useWords()
  const { title, store } = useChat()
  const { ask, setScope } = useActions()
  const examples = useStartingQuestions()
  const { chapterId, title: page } = useHere()
  const hasScope = useChatState((state) => state.scope !== null)
  const focusInput = useInputFocus()
  const askExample = (example: string): void => {
    ask(example)
    focusInput()
  }
  return (
    <div className="cb-empty">
      <span className="cb-empty-mark" aria-hidden="true">
        <Icon name="book" />
      </span>
      <p className="cb-empty-title">{words.emptyTitle}</p>
      <p>
        {filled(words.emptyText, { title: isolated(title) })} {store.mode === 'ephemeral' && words.emptyEphemeral}
        {store.mode === 'tab' && words.emptyTab}
      </p>
      {chapterId && !hasScope && (
        <button
          type="button"
          className="cb-text-button"
          onClick={() => {
            setScope({ chapterId, title: page })
            focusInput()
          }}
        >
          {words.askAboutPage}
        </button>
      )}
      {examples.length > 0 && (
        <ul className="cb-examples" aria-label={words.examples}>
          {examples.map((example) => (
            <li key={example}>
              <button type="button" onClick={() => askExample(example)}>
                <bdi>{example}</bdi>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
