/** The keys that open the box which searches and asks, and when they are the page's own. */

/** Searches that many sites have, and that come with the same key. */
const OTHER_SEARCH = '.DocSearch-Button,.DocSearch'
const FIELDS = 'input,textarea,select,[contenteditable]:not([contenteditable=false]),[role=textbox],[role=searchbox]'

/** Whether these keys were pressed: where one types, only with Ctrl or ⌘, and never what the page has taken. */
export function isSearchKey(event: KeyboardEvent, keys: string[]): boolean {
  const [target] = event.composedPath()
  const isMod = event.ctrlKey || event.metaKey
  if (event.defaultPrevented || event.altKey || event.isComposing || !(target instanceof Node)) return false
  if (!keys.includes((isMod ? 'mod+' : '') + event.key.toLowerCase())) return false
  const field = target instanceof Element ? target.closest<HTMLElement>(FIELDS) : null
  // In an editor, Ctrl+K makes a link.
  return isMod ? !field?.hasAttribute('contenteditable') && !document.querySelector(OTHER_SEARCH) : !field
}
