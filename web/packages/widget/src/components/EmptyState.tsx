/** What one sees before the first question. */
import type { ReactNode } from 'react'
import { useActions, useChat } from './ChatContext'
import { Icon } from './icons'
import { useInputFocus } from './surface'

export function EmptyState(): ReactNode {
  const { title, examples, store } = useChat()
  const { ask } = useActions()
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
      <p className="cb-empty-title">What would you like to know?</p>
      <p>
        Answers come from {title} alone. Every sentence shows its source, and one click takes you there.
        {store.mode === 'ephemeral' && ' Nothing is kept when you close the chat.'}
        {store.mode === 'tab' && ' The chat stays in this tab until you end it.'}
      </p>
      {examples.length > 0 && (
        <ul className="cb-examples" aria-label="Example questions">
          {examples.map((example) => (
            <li key={example}>
              <button type="button" onClick={() => askExample(example)}>
                {example}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
