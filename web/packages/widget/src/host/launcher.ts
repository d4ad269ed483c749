/** The button in the corner, in a shadow root of its own. All else is loaded when it is first pressed. */
import type { GetToken } from '@citebook/client'
import { buttonWords } from './buttonWords'
import { directionOf, languageOf } from './language'
import launcherCss from './launcher.css?inline'
import { completed, type WidgetOptions } from './options'
import { isSearchKey } from './searchKeys'
import { followSelection } from './selectionBubble'
import { addStyles } from './shadowStyles'
import { followTheme } from './theme'

/** What the panel gets from the button. */
export interface PanelContext {
  root: ShadowRoot
  /** Where the panel is drawn. */
  slot: HTMLElement
  options: WidgetOptions
  language: string
  /** Opens the chat, and leaves the focus where it is unless told otherwise. */
  show(takesFocus?: boolean): void
  close(): void
  /** Out of the way, with the conversation kept: the reader wants to see the page behind it. */
  hide(): void
}

export interface Panel {
  show(takesFocus: boolean): void
  /** `close` ends the chat as its mode says; `hide` keeps it. */
  leave(how: 'close' | 'hide'): void
  ask(question: string): void
  setPassage(text: string): void
  setScope(scope: ChosenScope): void
  /** Opens the box that searches and asks, whether or not the chat is open. */
  search(): void
  destroy(): void
}

export interface PanelModule {
  mountPanel(context: PanelContext): Panel | Promise<Panel>
  /** Marks what a text fragment names; only browsers that know none still have it in their address. */
  highlightNamedText(address: string, content: string): Range | null
}

/** Set for the next page of a persistent chat that a citation leads away from; in a chat of the tab, while it is open. */
export const REOPEN_KEY = 'citebook:reopen'
/** Marks the entry of the browser's history in which the chat fills a narrow screen. */
export const CHAT_ENTRY = 'citebookChat'

/** A page by its id, the page that the reader has before them, or all of the book. */
export type ChosenScope = { chapterId: string; title?: string } | 'page' | null

/** What `window.Citebook` has. */
export interface CitebookApi {
  open(): Promise<void>
  close(): void
  /** Opens the chat and asks; without a question only opens it. */
  ask(question?: string): Promise<void>
  /** The token of the reader who is signed in from now on; of none without one. */
  setToken(token?: string): void
  /** What questions are about from now on. */
  setScope(scope: ChosenScope): Promise<void>
}

export interface Citebook extends CitebookApi {
  destroy(): void
}

/** No more than the site is to use. */
export function apiOf({ open, close, ask, setToken, setScope }: Citebook): CitebookApi {
  return Object.freeze({ open, close, ask, setToken, setScope })
}

/** Speech bubble with a bookmark; drawn by hand. */
const ICON_PATH =
  'M4 5.5A2.5 2.5 0 0 1 6.5 3h11A2.5 2.5 0 0 1 20 5.5v8a2.5 2.5 0 0 1-2.5 2.5H11l-4.6 4.1c-.5.5-1.4.1-1.4-.6V15.6A2.5 2.5 0 0 1 4 13.5zM9 3v7.2l2.5-1.9 2.5 1.9V3'

export function startCitebook(chosen: Partial<WidgetOptions>, loadPanel: () => Promise<PanelModule>): Citebook {
  return new Launcher(completed(chosen), loadPanel)
}

class Launcher implements Citebook {
  private readonly host = document.createElement('citebook-chat')
  private readonly root = this.host.attachShadow({ mode: 'open' })
  private readonly frame = element('div', 'cb')
  private readonly button = element('button', 'cb-launcher')
  private readonly bubble = element('button', 'cb-bubble')
  private readonly slot = element('div', 'cb-slot')
  private readonly stopTheme: () => void
  private readonly selection
  private panel: Promise<Panel> | undefined
  private isOpen = false
  private token: { given: string | undefined } | undefined
  private readonly language: string
  private readonly options: WidgetOptions

  constructor(
    chosen: WidgetOptions,
    private readonly loadPanel: () => Promise<PanelModule>,
  ) {
    const getToken: GetToken = () => (this.token ? this.token.given : chosen.getToken?.())
    const options = { ...chosen, getToken }
    this.options = options
    this.language = languageOf(options.language)
    addStyles(this.root, launcherCss, options.nonce)
    this.draw()
    this.stopTheme = followTheme(options.theme, (theme) => {
      this.frame.dataset.theme = theme
    })
    this.selection = options.selection
      ? followSelection(this.bubble, options.content, (text) => void this.askAbout(text))
      : undefined
    if (options.shortcut) document.addEventListener('keydown', this.onShortcut)
    // On the window, which hears of a key last: what the page does with it goes first.
    addEventListener('keydown', this.onSearchKey)
    document.body.append(this.host)
    this.arrive()
  }

  open = (): Promise<void> => this.show(true)

  private async show(takesFocus: boolean): Promise<void> {
    this.isOpen = true
    this.button.setAttribute('aria-busy', 'true')
    try {
      const panel = await this.loaded()
      if (!this.isOpen) return
      this.setOpen(true)
      panel.show(takesFocus)
    } catch {
      this.panel = undefined
      this.setOpen(false)
      this.button.title = buttonWords(this.language)[2]
    }
  }

  close = (): void => this.leave('close')

  ask = async (question?: string): Promise<void> => {
    await this.open()
    if (question) (await this.panel)?.ask(question)
  }

  setToken = (token?: string): void => {
    this.token = { given: token }
  }

  setScope = async (scope: ChosenScope): Promise<void> => (await this.loaded()).setScope(scope)

  destroy = (): void => {
    this.stopTheme()
    this.selection?.destroy()
    document.removeEventListener('keydown', this.onShortcut)
    removeEventListener('keydown', this.onSearchKey)
    removeEventListener('pageshow', this.onReturn)
    void this.panel?.then((panel) => panel.destroy())
    this.host.remove()
  }

  private arrive(): void {
    const { mode, content } = this.options
    if (mode !== 'ephemeral' && (takeReopen() || (mode === 'tab' && isChatEntry()))) void this.show(false)
    if (mode === 'tab') addEventListener('pageshow', this.onReturn)
    // The panel takes the question from the address, and asks it.
    if (new URLSearchParams(location.search).has('ask')) void this.show(false)
    if (location.hash.includes(':~:text='))
      void this.loadPanel().then(
        (module) => module.highlightNamedText(location.hash, content),
        () => undefined, // The browser has scrolled to the section's heading; nothing is marked there.
      )
  }

  private draw(): void {
    const { title, corner } = this.options
    this.frame.dataset.corner = corner
    this.button.type = this.bubble.type = 'button'
    const [ask, askAbout] = buttonWords(this.language)
    this.frame.dir = directionOf(this.language)
    this.frame.lang = this.language
    this.button.setAttribute('aria-label', `${ask}${this.language === 'en' ? '' : ':'} ${title}`)
    this.button.setAttribute('aria-haspopup', 'dialog')
    this.button.setAttribute('aria-expanded', 'false')
    this.button.append(icon(), element('span', 'cb-launcher-label', ask))
    this.button.addEventListener('click', () => (this.isOpen ? this.close() : void this.open()))
    this.bubble.append(askAbout)
    this.bubble.hidden = true
    this.frame.append(this.button, this.bubble, this.slot)
    this.root.append(this.frame)
  }

  private async askAbout(text: string): Promise<void> {
    await this.open()
    ;(await this.panel)?.setPassage(text)
  }

  private loaded(): Promise<Panel> {
    const { root, slot, options, language, close } = this
    const hide = (): void => this.leave('hide')
    const show = (takesFocus = false): void => void this.show(takesFocus)
    this.panel ??= this.loadPanel().then((module) =>
      module.mountPanel({ root, slot, options, language, show, close, hide }),
    )
    return this.panel
  }

  private leave(how: 'close' | 'hide'): void {
    if (!this.isOpen) return
    this.setOpen(false)
    void this.panel?.then((panel) => panel.leave(how))
    this.button.focus({ preventScroll: true })
  }

  private setOpen(isOpen: boolean): void {
    this.isOpen = isOpen
    this.frame.toggleAttribute('data-open', isOpen)
    this.button.setAttribute('aria-expanded', String(isOpen))
    this.button.removeAttribute('aria-busy')
    if (this.options.mode === 'tab') keepReopen(isOpen)
  }

  /** A page that the browser had only put aside is as it was left: with the chat out of the way. */
  private readonly onReturn = (event: PageTransitionEvent): void => {
    if (event.persisted && isChatEntry()) void this.show(false)
  }

  private readonly onSearchKey = (event: KeyboardEvent): void => {
    if (!isSearchKey(event, this.options.searchKeys)) return
    event.preventDefault()
    this.loaded().then(
      (panel) => panel.search(),
      () => {
        this.panel = undefined
      },
    )
  }

  private readonly onShortcut = (event: KeyboardEvent): void => {
    const isShortcut =
      (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 'i'
    if (!isShortcut || (event.target instanceof HTMLElement && event.target.isContentEditable)) return
    event.preventDefault()
    const text = this.selection?.selectedText()
    if (text) void this.askAbout(text)
    else if (this.isOpen) this.close()
    else void this.open()
  }
}

function element<Name extends 'div' | 'button' | 'span'>(
  name: Name,
  className: string,
  text = '',
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name)
  made.className = className
  made.textContent = text
  return made
}

function isChatEntry(): boolean {
  return Boolean((history.state as Record<string, unknown> | null)?.[CHAT_ENTRY])
}

function keepReopen(isOpen: boolean): void {
  try {
    if (isOpen) sessionStorage.setItem(REOPEN_KEY, '')
    else sessionStorage.removeItem(REOPEN_KEY)
  } catch {
    // Storage is switched off: the chat is closed on the next page.
  }
}

function takeReopen(): boolean {
  try {
    const isSet = sessionStorage.getItem(REOPEN_KEY) !== null
    sessionStorage.removeItem(REOPEN_KEY)
    return isSet
  } catch {
    return false
  }
}

function icon(): SVGElement {
  const namespace = 'http://www.w3.org/2000/svg'
  const svg = document.createElementNS(namespace, 'svg')
  svg.setAttribute('viewBox', '0 0 24 24')
  svg.setAttribute('aria-hidden', 'true')
  const path = document.createElementNS(namespace, 'path')
  path.setAttribute('d', ICON_PATH)
  svg.append(path)
  return svg
}
