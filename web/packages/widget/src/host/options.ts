/** What a site can choose about its chat, and how a script tag says so. */
import type { BookModule, Citation, GetToken, Mode } from '@citebook/client'

export type Corner = 'bottom-right' | 'bottom-left' | 'top-right' | 'top-left'
/** At the side of a wide window with the page beside it, or in its corner over the page. */
export type Placement = 'docked' | 'floating'
export type ThemeChoice = 'auto' | 'light' | 'dark'

export interface WidgetOptions {
  /** Address of the Citebook server; empty for the page's own. */
  server: string
  /**
   * `tab`: this tab alone keeps the chat, until it is closed or the reader ends it. `ephemeral`: nothing is kept, and
   * closing wipes the chat. `persistent`: the server keeps the conversation.
   */
  mode: Mode
  /** The book's title, as the reader knows it. */
  title: string
  corner: Corner
  theme: ThemeChoice
  /** In windows of 1280 pixels and more; narrower ones have no room beside the page. */
  placement: Placement
  /** Of the chat's own words: `en`, `de`, `fr`, `es`, `ur`; `auto` is that of the page. */
  language: string
  /** Width of the panel in pixels, 320 to 600. */
  width: number
  resizable: boolean
  /** Offers "Ask about this" when text of the page is selected. */
  selection: boolean
  /** Whether a question about selected text is answered from that text alone, unless the reader says otherwise. */
  selectionMode: 'strict' | 'loose'
  /** Selector of the element that holds the book's text; selections elsewhere are left alone. */
  content: string
  /** Questions to begin with. */
  examples: string[]
  /** Parts of the book that the reader can limit a question to, named by the server if empty. */
  modules: BookModule[]
  /** What the book's addresses are relative to; the page's own site if empty. Links to other sites are never made. */
  bookUrl: string
  /** Opens and closes the chat with Ctrl+I or ⌘I. */
  shortcut: boolean
  /** What opens the box that searches and asks: keys, or `mod+` and a key for Ctrl or ⌘. None if empty. */
  searchKeys: string[]
  /** The token of a reader who is signed in on the site, asked for with each request; in persistent mode. */
  getToken?: GetToken
  /** For the chat's style element, on sites whose policy asks for one and browsers without constructable style sheets. */
  nonce?: string
  /** Takes over when a citation is followed; `false` leaves it to the widget. */
  // biome-ignore lint/suspicious/noConfusingVoidType: most have nothing to say.
  onNavigate?: (citation: Citation, url: URL) => boolean | void
}

export const MIN_WIDTH = 320
export const MAX_WIDTH = 600

export const DEFAULT_OPTIONS: WidgetOptions = {
  server: '',
  mode: 'tab',
  title: 'the book',
  corner: 'bottom-right',
  theme: 'auto',
  placement: 'docked',
  language: 'auto',
  width: 400,
  resizable: true,
  selection: true,
  selectionMode: 'loose',
  content: 'body',
  examples: [],
  modules: [],
  bookUrl: '',
  shortcut: true,
  searchKeys: ['mod+k', '/'],
}

const CORNERS: readonly string[] = ['bottom-right', 'bottom-left', 'top-right', 'top-left']

/** Fills in what is missing and puts right what is out of range. */
export function completed(chosen: Partial<WidgetOptions>): WidgetOptions {
  const given = Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== undefined))
  const options: WidgetOptions = { ...DEFAULT_OPTIONS, ...given }
  options.width = clampedWidth(options.width)
  if (!CORNERS.includes(options.corner)) options.corner = DEFAULT_OPTIONS.corner
  return options
}

export function clampedWidth(width: number): number {
  return Number.isFinite(width) ? Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width))) : DEFAULT_OPTIONS.width
}

/** Options from `data-…` attributes. Lists are separated by `|`; a module is `1: Its title`. */
export function optionsOfAttributes(data: DOMStringMap): Partial<WidgetOptions> {
  const options: Partial<WidgetOptions> = {}
  for (const name of ['server', 'title', 'content', 'bookUrl', 'nonce', 'language'] as const)
    if (data[name]) options[name] = data[name]
  Object.assign(options, choicesOfAttributes(data))
  if (data.mode === 'tab' || data.mode === 'persistent' || data.mode === 'ephemeral') options.mode = data.mode
  if (data.corner) options.corner = data.corner as Corner
  if (data.width) options.width = Number(data.width)
  for (const name of ['resizable', 'selection', 'shortcut'] as const)
    if (data[name]) options[name] = data[name] !== 'false'
  if (data.examples) options.examples = parts(data.examples)
  if (data.modules) options.modules = parts(data.modules).flatMap(moduleOf)
  return options
}

/** Where only some words are known, others are as if nothing was said. */
function choicesOfAttributes({ theme, placement, selectionMode, searchKeys }: DOMStringMap): Partial<WidgetOptions> {
  return {
    ...(theme === 'light' || theme === 'dark' ? { theme } : {}),
    ...(placement === 'floating' ? { placement } : {}),
    ...(selectionMode === 'strict' ? { selectionMode } : {}),
    ...(searchKeys ? { searchKeys: searchKeys === 'false' ? [] : parts(searchKeys) } : {}),
  }
}

function parts(list: string): string[] {
  return list
    .split('|')
    .map((part) => part.trim())
    .filter(Boolean)
}

function moduleOf(text: string): BookModule[] {
  const colon = text.indexOf(':')
  const number = Number(colon < 0 ? text : text.slice(0, colon))
  if (!Number.isInteger(number) || number < 1) return []
  return [{ number, title: (colon < 0 ? '' : text.slice(colon + 1).trim()) || `Module ${number}` }]
}
