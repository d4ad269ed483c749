/** Earlier conversations, over the one that goes on: a press on one opens it again. */
import type { Conversation } from '@citebook/client'
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react'
import { useWords, type WordsOfChat } from '../words'
import { useActions, useChatState } from './ChatContext'
import { keepFocusWithin } from './focusTrap'
import { IconButton } from './Header'
import { useInputFocus } from './surface'

const WHEN: Intl.DateTimeFormatOptions = { dateStyle: 'medium', timeStyle: 'short' }

export function Conversations({ onDone }: { onDone: () => void }): ReactNode {
  const words = useWords()
  const { openConversation, listConversations } = useActions()
  const conversations = useChatState((state) => state.conversations)
  const hasMore = useChatState((state) => state.nextConversations !== null)
  const focusInput = useInputFocus()
  const sheet = useRef<HTMLDivElement>(null)
  useEffect(() => {
    sheet.current?.querySelector('button')?.focus()
    void listConversations()
  }, [listConversations])
  const known = useRef<number | null>(null)
  useEffect(() => {
    // The button that was pressed may be gone: the first of what it has brought is next.
    if (known.current === null || known.current >= conversations.length) return
    sheet.current?.querySelectorAll<HTMLElement>('.cb-conversations button')[known.current]?.focus()
    known.current = null
  }, [conversations])
  const showMore = (): void => {
    known.current = conversations.length
    void listConversations(true)
  }
  const leave = (): void => {
    focusInput()
    onDone()
  }
  const choose = ({ id, isCurrent }: Conversation): void => {
    leave()
    if (!isCurrent) void openConversation(id)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    event.stopPropagation()
    if (event.key === 'Escape') leave()
    else keepFocusWithin(event.currentTarget, event)
  }
  return (
    <div
      className="cb-sheet"
      ref={sheet}
      role="dialog"
      aria-modal="true"
      aria-labelledby="cb-conversations-title"
      onKeyDown={onKeyDown}
    >
      <div className="cb-header">
        <h3 className="cb-title" id="cb-conversations-title">
          {words.earlier}
        </h3>
        <IconButton name="close" label={words.backToChat} onClick={leave} />
      </div>
      <div className="cb-sheet-body">
        <ul className="cb-conversations">
          {conversations.map((conversation) => (
            <li key={conversation.id}>
              <button type="button" aria-current={conversation.isCurrent} onClick={() => choose(conversation)}>
                <span className="cb-conversation-title">{conversation.title || words.untitled}</span>
                <span className="cb-conversation-when">{whenOf(conversation, words)}</span>
              </button>
            </li>
          ))}
        </ul>
        {hasMore && (
          <button type="button" className="cb-button cb-more" onClick={showMore}>
            {words.showMore}
          </button>
        )}
      </div>
    </div>
  )
}

function whenOf({ lastActivityAt, isCurrent }: Conversation, words: WordsOfChat): string {
  return [lastActivityAt?.toLocaleString(undefined, WHEN), isCurrent && words.openNow].filter(Boolean).join(', ')
}
