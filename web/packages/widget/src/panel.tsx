/** The panel of the widget: loaded when the chat is first opened. */
import { Book, type Citation, choicesOf, type FilterChoices, NO_CHOICES, transportFor } from '@citebook/client'
import { createRoot } from 'react-dom/client'
import chatCss from './chat.css?inline'
import { type Chat, ChatContext } from './components/ChatContext'
import { PanelFrame } from './components/PanelFrame'
import { isNarrow } from './components/useIsNarrow'
import { followBackButton } from './host/backButton'
import { type Panel, type PanelContext, REOPEN_KEY } from './host/launcher'
import { lowerPanelOverMarks } from './host/lowerPanel'
import { addStyles } from './host/shadowStyles'
import { followCitation } from './navigation/followCitation'
import { createChatStore } from './store/chatStore'

export { highlightNamedText } from './navigation/namedText'

export function mountPanel({ root, slot, options, show, close, hide }: PanelContext): Panel {
  addStyles(root, chatCss, options.nonce)
  const store = createChatStore(transportFor(options.mode, options))
  const drawn = createRoot(slot)
  const stopLowering = lowerPanelOverMarks(root.querySelector<HTMLElement>('.cb') ?? slot, slot)
  let chat: Chat = {
    store,
    title: options.title,
    examples: options.examples,
    choices: { ...NO_CHOICES, modules: options.modules },
    bookUrl: options.bookUrl,
    follow(citation: Citation) {
      // A panel that covers the screen would hide the very sentence.
      if (isNarrow()) hide()
      const isLeaving = followCitation(citation, options)
      if (isLeaving && options.mode === 'persistent' && !isNarrow()) reopenOnNextPage()
    },
  }
  const backButton = followBackButton(show, close)
  let isShown = false
  const draw = (isOpen: boolean, takesFocus = false): void => {
    isShown = isOpen
    drawn.render(
      <ChatContext.Provider value={chat}>
        <PanelFrame options={options} isOpen={isOpen} takesFocus={takesFocus} onClose={close} />
      </ChatContext.Provider>,
    )
  }
  void store.actions.load()
  void choicesOfBook(options).then((choices) => {
    chat = { ...chat, choices }
    draw(isShown)
  })
  return {
    show(takesFocus) {
      backButton.opened()
      draw(true, takesFocus)
    },
    leave(how) {
      if (how === 'close') store.actions.close()
      backButton.left(how)
      draw(false)
    },
    ask: (question) => store.actions.ask(question),
    setPassage: (text) => store.actions.setPassage({ text, strict: options.selectionMode === 'strict' }),
    destroy() {
      stopLowering()
      backButton.stop()
      store.actions.destroy()
      drawn.unmount()
    },
  }
}

/** Only the site's own where the server does not tell: the chat does without the others. */
async function choicesOfBook(options: PanelContext['options']): Promise<FilterChoices> {
  const { modules } = options
  try {
    const choices = choicesOf(await new Book(options).contents())
    return modules.length ? { ...choices, modules } : choices
  } catch {
    return { ...NO_CHOICES, modules }
  }
}

function reopenOnNextPage(): void {
  try {
    sessionStorage.setItem(REOPEN_KEY, '')
  } catch {
    // Storage is switched off: the chat is closed on the next page.
  }
}
