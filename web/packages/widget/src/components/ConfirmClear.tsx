/** Asks before the conversation is deleted: in this tab, or here and on the server. */
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react'
import { useActions, useChat } from './ChatContext'
import { keepFocusWithin } from './focusTrap'
import { useInputFocus } from './surface'

const IN_TAB = {
  title: 'End this chat?',
  text: 'Its questions and answers are in this tab alone, and are deleted. This cannot be undone.',
  act: 'End chat',
}
const ON_SERVER = {
  title: 'Clear history?',
  text: 'Your conversations are deleted here and on the server. This cannot be undone.',
  act: 'Delete',
}

export function ConfirmClear({ onDone }: { onDone: () => void }): ReactNode {
  const { clearHistory } = useActions()
  const words = useChat().store.mode === 'tab' ? IN_TAB : ON_SERVER
  const focusInput = useInputFocus()
  const cancel = useRef<HTMLButtonElement>(null)
  useEffect(() => cancel.current?.focus(), [])
  const leave = (): void => {
    focusInput()
    onDone()
  }
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    event.stopPropagation()
    if (event.key === 'Escape') leave()
    else keepFocusWithin(event.currentTarget, event)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only hears the keys that are pressed in the dialog.
    <div className="cb-cover" onKeyDown={onKeyDown}>
      <div
        className="cb-confirm"
        role="alertdialog"
        aria-modal="true"
        aria-labelledby="cb-confirm-title"
        aria-describedby="cb-confirm-text"
      >
        <h3 id="cb-confirm-title">{words.title}</h3>
        <p id="cb-confirm-text">{words.text}</p>
        <div className="cb-confirm-actions">
          <button type="button" className="cb-button" ref={cancel} onClick={leave}>
            Keep
          </button>
          <button
            type="button"
            className="cb-button cb-danger"
            onClick={() => {
              leave()
              void clearHistory()
            }}
          >
            {words.act}
          </button>
        </div>
      </div>
    </div>
  )
}
