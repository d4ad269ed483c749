import type { FoundSections } from '@citebook/client'
import { NO_CHOICES } from '@citebook/client'
import { act } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Chat, ChatContext } from '../src/components/ChatContext'
import { SearchBox } from '../src/components/SearchBox'
import { createChatStore } from '../src/store/chatStore'
import { ScriptedTransport } from './scriptedTransport'

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })

const NOWHERE = { title: '' }
const book = { search: vi.fn(), questions: vi.fn() }
const here = { current: () => NOWHERE, subscribe: () => () => undefined }

const section = (title: string, url = `/docs/${title.toLowerCase()}`) => ({
  title,
  page: 'Gears',
  part: null,
  url,
  snippet: `About ${title}.`,
})
const found = (...titles: string[]): FoundSections => ({
  sections: titles.map((title) => section(title)),
  sought: [],
})

let root: Root
let place: HTMLElement
let chat: Chat
const [closed, asked, follow] = [vi.fn(), vi.fn(), vi.fn()]

beforeEach(async () => {
  vi.useFakeTimers()
  for (const mock of [closed, asked, follow]) mock.mockReset()
  book.search.mockReset().mockResolvedValue(found('Drives', 'Teeth'))
  book.questions.mockReset().mockResolvedValue([])
  place = document.body.appendChild(document.createElement('div'))
  root = createRoot(place)
  const store = createChatStore(new ScriptedTransport())
  const announce = vi.fn()
  chat = { store, title: 'Robots', examples: [], choices: NO_CHOICES, bookUrl: '', book, here, announce, follow }
  await draw()
})

async function draw(): Promise<void> {
  await act(async () =>
    root.render(
      <ChatContext.Provider value={chat}>
        <SearchBox onClose={closed} onAsk={asked} />
      </ChatContext.Provider>,
    ),
  )
}

afterEach(async () => {
  await act(async () => root.unmount())
  place.remove()
  vi.useRealTimers()
})

const input = (): HTMLInputElement => place.querySelector('.cb-find-input')!
const rows = (): string[] => [...place.querySelectorAll('[role=option]')].map((row) => titleOf(row))
const titleOf = (row: Element): string =>
  (row.querySelector('.cb-find-title') ?? row.querySelector('.cb-find-ask'))!.textContent!
const chosen = (): string => titleOf(place.querySelector('[aria-selected=true]')!)
const status = (): string => place.querySelector('[role=status]')!.textContent!

async function type(text: string): Promise<void> {
  await act(async () => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!.set!.call(input(), text)
    input().dispatchEvent(new Event('input', { bubbles: true }))
    await vi.advanceTimersByTimeAsync(30)
  })
}
const press = (key: string, more: KeyboardEventInit = {}): Promise<void> =>
  act(
    async () =>
      void input().dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more })),
  )

describe('the box', () => {
  it('has the focus, and says what it is for while nothing is typed', () => {
    expect(document.activeElement).toBe(input())
    expect(status()).toContain('Type a few letters')
    expect(rows()).toEqual([])
  })

  it('shows sections and at last the question, and opens the first with Enter', async () => {
    await type('drives')
    expect(rows()).toEqual(['Drives', 'Teeth', 'Ask: drives'])
    expect(status()).toBe('2 sections found')
    await press('Enter')
    expect(follow).toHaveBeenCalledWith(expect.objectContaining({ url: '/docs/drives', excerpt: '' }))
    expect(closed).toHaveBeenCalledOnce()
    expect(asked).not.toHaveBeenCalled()
  })

  it('goes round by the arrows, and tells which row is chosen', async () => {
    await type('drives')
    await press('ArrowDown')
    expect(chosen()).toBe('Teeth')
    expect(input().getAttribute('aria-activedescendant')).toBe(place.querySelector('[aria-selected=true]')!.id)
    await press('ArrowUp')
    await press('ArrowUp')
    expect(chosen()).toBe('Ask: drives')
    await press('Enter')
    expect(asked).toHaveBeenCalledWith('drives')
  })

  it.each(['What is it?', 'how does a drive work'])('puts “%s” first, because it is a question', async (question) => {
    await type(question)
    expect(chosen()).toBe(`Ask: ${question}`)
  })

  it('asks with Ctrl+Enter, whatever is chosen', async () => {
    await type('drives')
    await press('Enter', { ctrlKey: true })
    expect(asked).toHaveBeenCalledWith('drives')
  })

  it('does nothing with Enter of an input method', async () => {
    await type('drives')
    await press('Enter', { isComposing: true })
    expect(follow).not.toHaveBeenCalled()
  })

  it('closes with Escape', async () => {
    await press('Escape')
    expect(closed).toHaveBeenCalledOnce()
  })

  it('marks what was typed, by text nodes', async () => {
    book.search.mockResolvedValue(found('<b>Drives</b>'))
    await type('driv')
    expect([...place.querySelectorAll('mark')].map((mark) => mark.textContent)).toEqual(['Driv', 'Driv'])
    expect(place.querySelector('b')).toBeNull()
  })

  it('does not show a reply that comes after a newer one', async () => {
    let late: (value: FoundSections) => void = () => undefined
    const never = new Promise<FoundSections>((resolve) => {
      late = resolve
    })
    book.search.mockReturnValueOnce(never)
    await type('d')
    await type('dr')
    await act(async () => late(found('Late')))
    expect(rows()).toEqual(['Drives', 'Teeth'])
  })

  it('searches at once for a key, and once more for all that come at one stroke with it', async () => {
    await act(async () => {
      for (const text of ['d', 'dr', 'dri', 'driv']) {
        Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!.set!.call(input(), text)
        input().dispatchEvent(new Event('input', { bubbles: true }))
        await vi.advanceTimersByTimeAsync(5)
      }
      await vi.advanceTimersByTimeAsync(30)
    })
    expect(book.search.mock.calls.map(([typed]) => typed)).toEqual(['d', 'driv'])
  })

  it('says that nothing was found, and still asks', async () => {
    book.search.mockResolvedValue(found())
    await type('zebra')
    expect(status()).toBe('No section has these words.')
    expect(chosen()).toBe('Ask: zebra')
  })

  it('says that sections cannot be searched, and still asks', async () => {
    book.search.mockRejectedValue(new Error('no'))
    await type('drives')
    expect(status()).toContain('cannot be searched')
    expect(rows()).toEqual(['Ask: drives'])
  })

  it('has no link out of the book', async () => {
    book.search.mockResolvedValue({
      sections: [section('Away', 'https://evil.example/'), section('Run', 'javascript:alert(1)'), section('Drives')],
      sought: [],
    })
    await type('x')
    expect(rows()).toEqual(['Drives'])
  })

  it('offers questions that the book answers while nothing is typed', async () => {
    book.questions.mockResolvedValue([{ question: 'What is a gear?', url: '', section: '' }])
    chat = { ...chat, book: { ...book } }
    await draw()
    await act(() => vi.advanceTimersByTimeAsync(600))
    const offered = place.querySelector<HTMLButtonElement>('.cb-find-examples button')!
    await act(async () => offered.click())
    expect(asked).toHaveBeenCalledWith('What is a gear?')
  })

  it('does not ask for questions while one types', async () => {
    await type('gea')
    await act(() => vi.advanceTimersByTimeAsync(1000))
    expect(book.questions).not.toHaveBeenCalled()
  })
})
