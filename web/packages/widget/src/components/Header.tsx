/** The chat's title and what can be done with the whole conversation. */
import type { ReactNode } from 'react'
import { useActions, useChat, useChatState } from './ChatContext'
import { Icon } from './icons'
import { useInputFocus } from './surface'

interface HeaderProps {
  titleId: string
  onClear: () => void
  onList: () => void
  onClose?: () => void
}

export function Header({ titleId, onClear, onList, onClose }: HeaderProps): ReactNode {
  const { store, title } = useChat()
  const { newChat } = useActions()
  const focusInput = useInputFocus()
  const isEmpty = useChatState((state) => state.messages.length === 0)
  const hasEarlier = useChatState((state) => state.conversations.some(({ isCurrent }) => !isCurrent))
  const startAnew = (): void => {
    newChat()
    focusInput()
  }
  return (
    <header className="cb-header">
      <h2 className="cb-title" id={titleId}>
        <Icon name="book" />
        <span>Ask {title}</span>
      </h2>
      <div className="cb-header-actions">
        {hasEarlier && <IconButton name="history" label="Earlier conversations" onClick={onList} />}
        {!isEmpty && store.mode === 'tab' && <IconButton name="trash" label="End chat" onClick={onClear} />}
        {!isEmpty && store.mode !== 'tab' && <IconButton name="newChat" label="New chat" onClick={startAnew} />}
        {(!isEmpty || hasEarlier) && store.mode === 'persistent' && (
          <IconButton name="trash" label="Clear history" onClick={onClear} />
        )}
        {onClose && store.mode === 'tab' && <IconButton name="minimise" label="Minimise chat" onClick={onClose} />}
        {onClose && store.mode !== 'tab' && <IconButton name="close" label="Close chat" onClick={onClose} />}
      </div>
    </header>
  )
}

interface IconButtonProps {
  name: Parameters<typeof Icon>[0]['name']
  label: string
  onClick: () => void
  pressed?: boolean
}

export function IconButton({ name, label, onClick, pressed }: IconButtonProps): ReactNode {
  return (
    <button
      type="button"
      className="cb-icon-button"
      aria-label={label}
      title={label}
      aria-pressed={pressed}
      onClick={onClick}
    >
      <Icon name={name} />
    </button>
  )
}
