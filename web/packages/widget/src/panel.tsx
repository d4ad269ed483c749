/** The panel of the widget: loaded when the chat is first opened. */
import { Book, type Citation, choicesOf, NO_CHOICES, transportFor } from '@citebook/client'
import { flushSync } from 'react-dom'
import { createRoot } from 'react-dom/client'
import chatCss from './chat.css?inline'
import { type Chat, ChatContext } from './components/ChatContext'
import { PanelFrame } from './components/PanelFrame'
import { SearchBox } from './components/SearchBox'
import { isNarrow } from './components/useIsNarrow'
import { announceAnswers, announcer } from './host/announcing'
import { followBackButton } from './host/backButton'
import { SiteHere } from './host/here'
import { type ChosenScope, type Panel, type PanelContext, REOPEN_KEY } from './host/launcher'
import { lowerPanelOverMarks } from './host/lowerPanel'
import type { WidgetOptions } from './host/options'
import { addStyles } from './host/shadowStyles'
import { followCitation } from './navigation/followCitation'
import { markNoted, noteForNextPage } from './navigation/nextPage'
import { onceVisited, takeSharedQuestion } from './navigation/sharedQuestion'
import { createChatStore } from './store/chatStore'
import { WordsContext, type WordsOfChat, wordsIn } from './words'

export { highlightNamedText } from './navigation/namedText'

export async function mountPanel(context: PanelContext): Promise<Panel> {
  return new DrawnPanel(context, await wordsIn(context.language))
}

class DrawnPanel implements Panel {
  private readonly store
  private readonly book
  private readonly here
  private readonly drawn
  private readonly backButton
  private readonly stops: (() => void)[]
  private chat: Chat
  private readonly isOpen = false
  private readonly takesFocus = false
  private isSearching = false
  /** What had the focus before the box was opened. */
  private focused: HTMLElement | null = null
  private readonly contents: Promise<void>

  constructor(
    private readonly context: PanelContext,
    private readonly words: WordsOfChat,
  ) {
    const { root, slot, options, show, close } = context
    addStyles(root, chatCss, options.nonce)
    this.store = createChatStore(transportFor(options.mode, options))
    this.book = new Book(options)
    this.here = new SiteHere(options.bookUrl)
    this.drawn = createRoot(slot)
    this.backButton = followBackButton(show, close)
    this.chat = this.chatOf(options)
    this.stops = [
      lowerPanelOverMarks(root.querySelector<HTMLElement>('.cb') ?? slot, slot),
      announceAnswers(this.store, this.chat.announce),
    ]
    this.contents = this.learnContents()
    void this.begin()
  }

  show(takesFocus: boolean): void {
    this.backButton.opened()
    this.here.look()
    Object.assign(this, { isOpen: true, takesFocus })
    // At once, because only a panel that is drawn can be seen to lie over what is marked.
    flushSync(() => this.draw())
    markNoted(this.context.options.content)
  }

  leave(how: 'close' | 'hide'): void {
    if (how === 'close') this.store.actions.close()
    this.backButton.left(how)
    Object.assign(this, { isOpen: false, takesFocus: false })
    this.draw()
  }

  ask = (question: string): void => this.store.actions.ask(question)

  setPassage(text: string): void {
    this.store.actions.setPassage({ text, strict: this.context.options.selectionMode === 'strict' })
  }

  setScope(scope: ChosenScope): void {
    void this.contents.then(() => {
      const { chapterId, title } = scope === 'page' ? this.here.current() : (scope ?? {})
      this.store.actions.setScope(chapterId ? { chapterId, title: title || chapterId } : null)
    })
  }

  search(): void {
    if (this.isSearching) return this.endSearch()
    const focused = this.context.root.activeElement ?? document.activeElement
    this.focused = focused instanceof HTMLElement ? focused : null
    this.isSearching = true
    this.here.look()
    this.draw()
  }

  destroy(): void {
    for (const stop of this.stops) stop()
    this.backButton.stop()
    this.here.destroy()
    this.store.actions.destroy()
    this.drawn.unmount()
  }

  /** What was kept comes first: a question of a link stands below it. */
  private async begin(): Promise<void> {
    await this.store.actions.load()
    const shared = takeSharedQuestion()
    if (shared) onceVisited(() => this.store.actions.askShared(shared.question, shared.edition))
  }

  /** Only the site's own modules where the server does not tell: the chat does without the others. */
  private async learnContents(): Promise<void> {
    const { modules } = this.context.options
    try {
      const contents = await this.book.contents()
      const choices = choicesOf(contents)
      this.here.know(contents.chapters)
      this.chat = { ...this.chat, choices: modules.length ? { ...choices, modules } : choices }
      this.draw()
    } catch {
      // The reader hears of it when they ask.
      this.here.know([])
    }
  }

  private chatOf(options: WidgetOptions): Chat {
    const announce = announcer(this.context.root.host)
    return {
      store: this.store,
      title: options.title,
      examples: options.examples,
      choices: { ...NO_CHOICES, modules: options.modules },
      bookUrl: options.bookUrl,
      book: this.book,
      here: this.here,
      announce,
      search: () => this.search(),
      follow: (citation) => {
        announce('cited', {
          title: citation.sectionTitle ?? citation.chapterTitle,
          ...(citation.url ? { url: citation.url } : {}),
        })
        this.follow(citation)
      },
    }
  }

  private follow(citation: Citation): void {
    const { options, hide } = this.context
    // A panel that covers the screen would hide the very sentence.
    if (isNarrow()) hide()
    const left = followCitation(citation, options)
    if (!left || options.mode === 'ephemeral' || !this.isOpen || isNarrow()) return
    noteForNextPage(citation, left)
    if (options.mode === 'persistent') reopenOnNextPage()
  }

  private readonly endSearch = (): void => {
    this.isSearching = false
    this.draw()
    this.focused?.focus({ preventScroll: true })
  }

  private readonly askFromSearch = (question: string): void => {
    const { isLoading, waitUntil } = this.store.getState()
    this.context.show(true)
    if (isLoading || waitUntil !== null) this.store.actions.setDraft(question)
    else this.ask(question)
  }

  private draw(): void {
    const { options, close } = this.context
    this.drawn.render(
      <WordsContext.Provider value={this.words}>
        <ChatContext.Provider value={this.chat}>
          <PanelFrame options={options} isOpen={this.isOpen} takesFocus={this.takesFocus} onClose={close} />
          {this.isSearching && <SearchBox onClose={this.endSearch} onAsk={this.askFromSearch} />}
        </ChatContext.Provider>
      </WordsContext.Provider>,
    )
  }
}

function reopenOnNextPage(): void {
  try {
    sessionStorage.setItem(REOPEN_KEY, '')
  } catch {
    // Storage is switched off: the chat is closed on the next page.
  }
}
