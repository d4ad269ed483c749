/** On a screen that the chat fills, Back closes it, and Back from a citation leads to it again. */
import { isNarrow } from '../components/useIsNarrow'
import { CHAT_ENTRY } from './launcher'

export interface BackButton {
  /** The chat is shown. */
  opened(): void
  /** The reader has closed it, or only wants to see the page behind it. */
  left(how: 'close' | 'hide'): void
  stop(): void
}

export function followBackButton(show: () => void, close: () => void): BackButton {
  let isShown = false
  let isOwnStep = false
  const moved = (event: PopStateEvent): void => {
    const isChat = hasChat(event.state)
    if (isOwnStep || (isShown && !isChat && isNarrow())) {
      // The page is the same: its own router would only scroll it to the top.
      event.stopImmediatePropagation()
      if (!isOwnStep) close()
      isOwnStep = false
    } else if (isChat) show()
  }
  addEventListener('popstate', moved, { capture: true })
  return {
    opened() {
      isShown = true
      if (isNarrow() && !hasChat(history.state)) history.pushState({ ...history.state, [CHAT_ENTRY]: true }, '')
    },
    left(how) {
      isShown = false
      if (how === 'hide' || !hasChat(history.state)) return
      isOwnStep = true
      history.back()
    },
    stop: () => removeEventListener('popstate', moved, { capture: true }),
  }
}

function hasChat(state: unknown): boolean {
  return typeof state === 'object' && state !== null && CHAT_ENTRY in state
}
