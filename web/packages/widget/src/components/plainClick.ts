/** Clicks that the chat may handle itself. Those that mean "new tab" or "download" stay with the browser. */
import type { MouseEvent } from 'react'

export function isPlainClick(event: MouseEvent): boolean {
  return event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey
}
