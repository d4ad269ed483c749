/** Asks before the conversation is deleted, on the server too. */
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react'
import { useActions } from './ChatContext'
import { keepFocusWithin } from './focusTrap'
import { useInputFocus } from './surface'

export function ConfirmClear({ onDone }: { onDone: () => void }): ReactNode {
  const { clearHistory } = useActions()
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
        <h3 id="cb-confirm-title">Clear history?</h3>
        <p id="cb-confirm-text">Your conversations are deleted here and on the server. This cannot be undone.</p>
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
            Delete
          </button>
        </div>
      </div>
    </div>
  )
}
