import { act } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { App } from '../src/App'
import { groupsOf } from '../src/Chapters'
import { placeOfCitation } from '../src/ChatSide'

const CHAPTERS = [
  { id: 'intro', title: 'Welcome', url: '/docs/', module: null, module_title: null },
  { id: 'm1/gears', title: 'Gears', url: '/docs/m1/gears', module: 1, module_title: 'Module 1: Joints' },
  { id: 'm1/motors', title: 'Motors', url: '/docs/m1/motors', module: 1, module_title: 'Module 1: Joints' },
]
const CONTENTS = { title: 'About joints', language: 'en', chapters: CHAPTERS }

const paragraph = (...runs: string[]): object => ({
  kind: 'paragraph',
  text: runs.map((text) => ({ text, marks: [] })),
})

function pageOf(id: string): object {
  const index = CHAPTERS.findIndex((chapter) => chapter.id === id)
  const sections = [
    { id, title: CHAPTERS[index]!.title, level: 1, blocks: [paragraph(`The beginning of ${id}.`)] },
    { id: 'drives', title: 'Drives', level: 2, blocks: [paragraph('A drive bends a cup. ', 'It has no backlash.')] },
    {
      id: 'teeth',
      title: 'Teeth',
      level: 2,
      blocks: [paragraph('Teeth wear out.'), { kind: 'code', text: 'x = 1' }],
    },
  ]
  return { ...CHAPTERS[index], previous: CHAPTERS[index - 1] ?? null, next: CHAPTERS[index + 1] ?? null, sections }
}

let answer: (path: string) => Response | Promise<Response>
let root: Root
let host: HTMLElement

beforeEach(() => {
  ;(globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true
  history.replaceState(null, '', '/')
  answer = (path) => {
    if (path === '/book/contents') return Response.json(CONTENTS)
    if (path.startsWith('/book/pages/'))
      return Response.json(pageOf(decodeURIComponent(path.slice('/book/pages/'.length))))
    return Response.json({}, { status: 404 })
  }
  vi.stubGlobal(
    'fetch',
    vi.fn(async (path: string) => answer(path)),
  )
  vi.stubGlobal('matchMedia', (query: string) => ({
    matches: query.includes('min-width'),
    addEventListener() {},
    removeEventListener() {},
  }))
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe(): void {}
      disconnect(): void {}
    },
  )
  vi.stubGlobal('CSS', { escape: (text: string) => text.replace(/(["\\])/g, '\\$1') })
  Element.prototype.scrollIntoView = vi.fn()
  host = document.body.appendChild(document.createElement('div'))
  root = createRoot(host)
})

afterEach(async () => {
  await act(async () => root.unmount())
  host.remove()
})

async function open(opensChat = false): Promise<void> {
  await act(async () => root.render(<App opensChat={opensChat} />))
  await eventually(() => expect(heading()).toBeDefined())
}

async function goToHash(hash: string): Promise<void> {
  await act(async () => {
    location.hash = hash
  })
}

function eventually(check: () => void): Promise<void> {
  return vi.waitFor(
    async () => {
      await act(() => new Promise((resolve) => setTimeout(resolve, 5)))
      check()
    },
    { timeout: 4_000, interval: 5 },
  )
}

const heading = (): string | undefined => host.querySelector('h1')?.textContent ?? undefined

describe('searching and asking from elsewhere', () => {
  const box = (): HTMLInputElement | null => document.querySelector('.cb-find-input')
  const press = (init: KeyboardEventInit): Promise<void> =>
    act(async () => void document.body.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, ...init })))

  it('opens the box by Ctrl+K, a slash and the button, and closes it by Escape', async () => {
    await open()
    await eventually(() => expect(host.querySelector('#chat .cb-input')).not.toBeNull())
    for (const key of [{ key: 'k', ctrlKey: true }, { key: '/' }]) {
      await press(key)
      await eventually(() => expect(document.activeElement).toBe(box()))
      await act(async () => void box()!.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true })))
      expect(box()).toBeNull()
    }
    await act(async () => host.querySelector<HTMLElement>('.bar-search')!.click())
    await eventually(() => expect(box()).not.toBeNull())
  })

  it('asks the question of its address, once', async () => {
    history.replaceState(null, '', '/?mode=ephemeral&ask=What+is+a+gear%3F')
    await open()
    await eventually(() => expect(host.querySelector('.cb-question')!.textContent).toBe('What is a gear?'))
    expect(location.search).toBe('?mode=ephemeral')
    const asked = vi.mocked(fetch).mock.calls.filter(([path]) => path === '/api/ask/stream')
    expect(asked).toHaveLength(1)
  })
})

describe('the page', () => {
  it('opens the book at its first chapter, beside the chat', async () => {
    await open()
    await eventually(() => expect(heading()).toBe('Welcome'))
    await eventually(() => expect(host.querySelector('[aria-current=page]')!.textContent).toBe('Welcome'))
    await eventually(() => expect(host.querySelector('main')!.id).toBe('reading'))
    await eventually(() => expect(host.querySelector('#chat .cb-input')).not.toBeNull())
    await eventually(() => expect(document.title).toBe('About joints'))
  })

  it('opens the chat alone at /chat, until a chapter is chosen', async () => {
    await open(true)
    await eventually(() => expect(host.querySelector('#reading')).toBeNull())
    await eventually(() => expect(host.querySelector('#chat')!.getAttribute('role')).toBe('main'))
    await goToHash('#/read/m1/gears')
    await eventually(() => expect(heading()).toBe('Gears'))
    await eventually(() => expect(host.querySelector('#chat')!.getAttribute('role')).toBe('complementary'))
  })

  it('goes to the quoted sentence and puts the focus there', async () => {
    await open()
    await goToHash('#/read/m1/gears?section=drives&quote=It+has+no+backlash.')
    await eventually(() =>
      expect(document.activeElement!.textContent).toBe('A drive bends a cup. It has no backlash.'),
    )
  })

  it('goes to a section by its anchor', async () => {
    await open()
    await goToHash('#/read/m1/gears?section=teeth')
    await eventually(() => expect(document.activeElement!.textContent).toContain('Teeth'))
  })

  it('leads to the neighbouring chapters', async () => {
    await open()
    await goToHash('#/read/m1/gears')
    const links = (): (string | null)[] =>
      [...host.querySelectorAll('.neighbours a')].map((link) => link.getAttribute('href'))
    await eventually(() => expect(links()).toEqual(['#/read/intro', '#/read/m1/motors']))
  })

  it('says that there is no book yet', async () => {
    answer = () => Response.json({ title: 'The book', chapters: [] })
    await open()
    await eventually(() => expect(heading()).toBe('There is no book here yet'))
  })

  it('says that the server cannot be reached, and tries again when the reader is back online', async () => {
    const working = answer
    answer = () => Promise.reject(new TypeError('Failed to fetch'))
    await open()
    await eventually(() => expect(heading()).toBe('The server cannot be reached'))
    answer = working
    await act(async () => void dispatchEvent(new Event('online')))
    await eventually(() => expect(heading()).toBe('Welcome'))
  })

  it.each([[], {}, 'text', { chapters: 7 }])(
    'says so where the server sends something that is no book: %j',
    async (body) => {
      answer = () => Response.json(body)
      await open()
      await eventually(() => expect(heading()).toBe('The book cannot be shown'))
    },
  )

  it('says why a chapter cannot be shown', async () => {
    await open()
    answer = () =>
      Response.json(
        { error: 'NOT_FOUND', message: 'There is no such page in this book.', details: {} },
        { status: 404 },
      )
    await goToHash('#/read/gone')
    await eventually(() =>
      expect(host.querySelector('[role=alert]')!.textContent).toContain('There is no such page in this book.'),
    )
  })
})

describe('the chapters', () => {
  it('stand by module', () => {
    expect(groupsOf(CHAPTERS, '').map(({ title, chapters }) => [title, chapters.length])).toEqual([
      [null, 1],
      ['Module 1: Joints', 2],
    ])
  })

  it('are found by words of their title or module', () => {
    expect(groupsOf(CHAPTERS, 'MOT joint').flatMap(({ chapters }) => chapters.map(({ id }) => id))).toEqual([
      'm1/motors',
    ])
    expect(groupsOf(CHAPTERS, 'nothing')).toEqual([])
  })
})

describe('a citation', () => {
  const citation = { chapter: 'x', chapterTitle: 'Gears', sourceFile: 'gears.mdx', excerpt: 'It bends.' }

  it('leads to the page that its address names', () => {
    expect(placeOfCitation({ ...citation, url: '/docs/m1/gears#dr%C3%A4hte' }, CONTENTS)).toEqual({
      chapter: 'm1/gears',
      section: 'drähte',
      quote: 'It bends.',
    })
  })

  it('without an address leads to its chapter', () => {
    expect(placeOfCitation({ ...citation, chapter: 'm1/motors' }, CONTENTS)).toEqual({
      chapter: 'm1/motors',
      quote: 'It bends.',
    })
  })
})
