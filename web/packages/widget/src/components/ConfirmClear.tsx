/** Asks before the conversation is deleted: in this tab, or here and on the server. */
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react'
import { useWords } from '../words'
import { useActions, useChat } from './ChatContext'
import { keepFocusWithin } from './focusTrap'
import { useInputFocus } from './surface'

export function ConfirmClear({ onDone }: { onDone: () => void }): ReactNode {
  const { clearHistory } = useActions()
  const words = useWords()
  const isInTab = useChat().store.mode === 'tab'
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
        <h3 id="cb-confirm-title">{isInTab ? words.endTitle : words.clearTitle}</h3>
        <p id="cb-confirm-text">{isInTab ? words.endText : words.clearText}</p>
        <div className="cb-confirm-actions">
          <button type="button" className="cb-button" ref={cancel} onClick={leave}>
            {words.keep}
          </button>
          <button
            type="button"
            className="cb-button cb-danger"
            onClick={() => {
              leave()
              void clearHistory()
            }}
          >
            {isInTab ? words.endChat : words.delete}
          </button>
        </div>
      </div>
    </div>
  )
}
