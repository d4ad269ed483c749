/** A panel on a page without layout, the hands that use it, and the transport behind it. */
import { type FinishedAnswer, NO_CHOICES } from '@citebook/client'
import { act } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, vi } from 'vitest'
import { type Chat, ChatContext } from '../src/components/ChatContext'
import { PanelFrame } from '../src/components/PanelFrame'
import { completed } from '../src/host/options'
import { createChatStore } from '../src/store/chatStore'
import { sentence } from './blocks'
import { ScriptedTransport } from './scriptedTransport'

/** The test browser has no layout, and so nothing to observe. */
class NoResizes {
  observe(): void {}
  disconnect(): void {}
}

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true, ResizeObserver: NoResizes })

export let transport: ScriptedTransport
export let chat: Chat
export let place: HTMLElement
let root: Root
export const closed = vi.fn()
export const announce = vi.fn()
/** What the book says to those who search it, and where the reader is; a test may say otherwise. */
export const book = { search: vi.fn(), questions: vi.fn() }
export const here = { current: vi.fn(), subscribe: () => () => undefined }
const NOWHERE = { title: '' }

export async function show(mode: 'ephemeral' | 'persistent' = 'ephemeral', extra: Partial<Chat> = {}): Promise<void> {
  transport = new ScriptedTransport(mode)
  chat = {
    store: createChatStore(transport),
    title: 'Robots',
    examples: [],
    choices: NO_CHOICES,
    bookUrl: '',
    book,
    here,
    announce,
    follow: vi.fn(),
    ...extra,
  }
  await act(async () => {
    root.render(
      <ChatContext.Provider value={chat}>
        <PanelFrame options={completed({ mode })} isOpen takesFocus onClose={closed} />
      </ChatContext.Provider>,
    )
  })
}

export const find = <T extends Element = HTMLElement>(selector: string): T => {
  const found = place.querySelector<T>(selector)
  if (!found) throw new Error(`nothing is ${selector} in ${place.innerHTML}`)
  return found
}
export const button = (name: string): HTMLButtonElement => {
  const found = [...place.querySelectorAll('button')].find(
    (one) => (one.getAttribute('aria-label') ?? one.textContent?.trim()) === name,
  )
  if (!found) throw new Error(`there is no button "${name}"`)
  return found
}
export const press = async (element: Element, key: string, more: KeyboardEventInit = {}): Promise<void> =>
  act(
    async () =>
      void element.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more })),
  )
export const click = async (element: HTMLElement): Promise<void> => act(async () => element.click())

export async function type(text: string): Promise<void> {
  const input = find<HTMLTextAreaElement>('.cb-input')
  await act(async () => {
    Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')!.set!.call(input, text)
    input.dispatchEvent(new Event('input', { bubbles: true }))
  })
}

export async function ask(question = 'What is it?'): Promise<void> {
  await type(question)
  await press(find('.cb-input'), 'Enter')
}

/** An answer of one sentence, which its first source proves. */
export async function answered(text: string, answer: Partial<FinishedAnswer> = {}): Promise<void> {
  await ask()
  await act(() => transport.say(text, [sentence(text, answer.citations ? 1 : null)]))
  await act(() => transport.finish(answer))
}

beforeEach(() => {
  closed.mockReset()
  announce.mockReset()
  book.search.mockReset().mockResolvedValue({ sections: [], sought: [] })
  book.questions.mockReset().mockResolvedValue([])
  here.current.mockReset().mockReturnValue(NOWHERE)
  place = document.body.appendChild(document.createElement('div'))
  root = createRoot(place)
})

afterEach(async () => {
  await act(async () => root.unmount())
  chat.store.actions.destroy()
  place.remove()
  vi.useRealTimers()
})
