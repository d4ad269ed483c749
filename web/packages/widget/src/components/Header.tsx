/** The chat's title and what can be done with the whole conversation. */
import type { ReactNode } from 'react'
import { filled, isolated, useWords } from '../words'
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
  const words = useWords()
  const { store, title, search } = useChat()
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
        <span>{filled(words.title, { title: isolated(title) })}</span>
      </h2>
      <div className="cb-header-actions">
        {search && <IconButton name="find" label={words.findLabel} onClick={search} />}
        {hasEarlier && <IconButton name="history" label={words.earlier} onClick={onList} />}
        {!isEmpty && store.mode === 'tab' && <IconButton name="trash" label={words.endChat} onClick={onClear} />}
        {!isEmpty && store.mode !== 'tab' && <IconButton name="newChat" label={words.newChat} onClick={startAnew} />}
        {(!isEmpty || hasEarlier) && store.mode === 'persistent' && (
          <IconButton name="trash" label={words.clearHistory} onClick={onClear} />
        )}
        {onClose && store.mode === 'tab' && <IconButton name="minimise" label={words.minimise} onClick={onClose} />}
        {onClose && store.mode !== 'tab' && <IconButton name="close" label={words.close} onClick={onClose} />}
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
