import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { apiOf, type Citebook, type Panel, type PanelContext, startCitebook } from '../src/host/launcher'
import { completed, optionsOfAttributes } from '../src/host/options'

let citebook: Citebook
let context: PanelContext
const panel: Panel = {
  show: vi.fn(),
  leave: vi.fn(),
  ask: vi.fn(),
  setPassage: vi.fn(),
  setScope: vi.fn(),
  search: vi.fn(),
  destroy: vi.fn(),
}
const module = {
  mountPanel: vi.fn((given: PanelContext): Panel => {
    context = given
    return panel
  }),
  highlightNamedText: vi.fn(() => null),
}
const load = vi.fn(async () => module)

const host = (): Element => document.querySelector('citebook-chat')!
const button = (): HTMLButtonElement => host().shadowRoot!.querySelector('.cb-launcher')!
const frame = (): HTMLElement => host().shadowRoot!.querySelector('.cb')!
const pressShortcut = (more: KeyboardEventInit): boolean =>
  document.dispatchEvent(new KeyboardEvent('keydown', { key: 'i', cancelable: true, bubbles: true, ...more }))

function start(options: Parameters<typeof startCitebook>[0] = {}): void {
  citebook = startCitebook(options, load)
}

beforeEach(() => {
  vi.clearAllMocks()
  localStorage.clear()
  sessionStorage.clear()
})

afterEach(() => {
  citebook.destroy()
  delete document.documentElement.dataset.theme
  location.hash = ''
})

describe('the keys that search', () => {
  const press = (init: KeyboardEventInit): boolean =>
    document.body.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...init }))

  it('open the box, without the chat', async () => {
    start()
    expect(press({ key: 'k', ctrlKey: true })).toBe(false)
    await vi.waitFor(() => expect(panel.search).toHaveBeenCalledOnce())
    expect(panel.show).not.toHaveBeenCalled()
  })

  it('are left to the browser where the site wants none', () => {
    start({ searchKeys: [] })
    expect(press({ key: 'k', ctrlKey: true })).toBe(true)
    expect(press({ key: '/' })).toBe(true)
    expect(load).not.toHaveBeenCalled()
  })

  it('are those that the script tag names', () => {
    expect(optionsOfAttributes({ searchKeys: 'mod+j | ?' }).searchKeys).toEqual(['mod+j', '?'])
    expect(optionsOfAttributes({ searchKeys: 'false' }).searchKeys).toEqual([])
    expect(completed({}).searchKeys).toEqual(['mod+k', '/'])
  })
})

describe('the site’s own script', () => {
  it('has five functions, and cannot change them', () => {
    start()
    const api = apiOf(citebook)
    expect(Object.keys(api)).toEqual(['open', 'close', 'ask', 'setToken', 'setScope'])
    expect(Object.isFrozen(api)).toBe(true)
  })

  it('tells who is signed in, over what the page was told', async () => {
    start({ getToken: () => 'of the page' })
    await citebook.open()
    expect(context.options.getToken!()).toBe('of the page')
    citebook.setToken('of the script')
    expect(context.options.getToken!()).toBe('of the script')
    citebook.setToken()
    expect(context.options.getToken!()).toBeUndefined()
  })

  it('chooses what is asked about', async () => {
    start()
    await citebook.setScope({ chapterId: 'gears' })
    expect(panel.setScope).toHaveBeenCalledWith({ chapterId: 'gears' })
  })
})

describe('a page that was opened with a question', () => {
  it('opens the chat, which takes the question', async () => {
    history.replaceState(null, '', '/?ask=What%3F')
    start()
    await vi.waitFor(() => expect(panel.show).toHaveBeenCalledWith(false))
    history.replaceState(null, '', '/')
  })
})

describe('the language', () => {
  it('is that of the site, and with it the direction', () => {
    start({ language: 'ur', title: 'Robots' })
    expect(frame().dir).toBe('rtl')
    expect(button().textContent).toBe('پوچھیں')
    expect(button().getAttribute('aria-label')).toContain('Robots')
  })
})

describe('the button', () => {
  it('loads nothing until it is pressed, and then once', async () => {
    start()
    expect(load).not.toHaveBeenCalled()
    button().click()
    await vi.waitFor(() => expect(panel.show).toHaveBeenCalledWith(true))
    citebook.close()
    await citebook.open()
    expect(load).toHaveBeenCalledOnce()
    expect(module.mountPanel).toHaveBeenCalledOnce()
  })

  it('says whether the chat is open, and has the focus after closing', async () => {
    start({ title: 'Robots' })
    expect(button().getAttribute('aria-label')).toBe('Ask Robots')
    await citebook.open()
    expect(button().getAttribute('aria-expanded')).toBe('true')
    context.close()
    expect(button().getAttribute('aria-expanded')).toBe('false')
    expect(host().shadowRoot!.activeElement).toBe(button())
    await vi.waitFor(() => expect(panel.leave).toHaveBeenCalledWith('close'))
  })

  it('can be pressed again after the panel could not be loaded', async () => {
    start()
    load.mockRejectedValueOnce(new TypeError('offline'))
    await citebook.open()
    expect(button().getAttribute('aria-expanded')).toBe('false')
    await citebook.open()
    expect(panel.show).toHaveBeenCalledOnce()
  })

  it('stands in the corner that was chosen, and nowhere else', () => {
    start({ corner: 'top-left' })
    expect(frame().dataset.corner).toBe('top-left')
  })

  it('stores nothing', async () => {
    start()
    await citebook.open()
    citebook.close()
    expect([localStorage.length, sessionStorage.length, document.cookie]).toEqual([0, 0, ''])
  })
})

describe('the shortcut', () => {
  it.each([{ ctrlKey: true }, { metaKey: true }])('opens and closes with %o', async (keys) => {
    start()
    expect(pressShortcut(keys)).toBe(false)
    await vi.waitFor(() => expect(panel.show).toHaveBeenCalledOnce())
    pressShortcut(keys)
    await vi.waitFor(() => expect(panel.leave).toHaveBeenCalledWith('close'))
  })

  it('leaves other keys to the page', () => {
    start()
    expect(pressShortcut({ ctrlKey: true, shiftKey: true })).toBe(true)
    expect(pressShortcut({})).toBe(true)
    expect(load).not.toHaveBeenCalled()
  })

  it('can be switched off', () => {
    start({ shortcut: false })
    expect(pressShortcut({ ctrlKey: true })).toBe(true)
  })

  it('takes selected text along', async () => {
    document.body.insertAdjacentHTML('beforeend', '<p id="text">A harmonic drive is a gear.</p>')
    start()
    document.getSelection()!.selectAllChildren(document.getElementById('text')!)
    pressShortcut({ ctrlKey: true })
    await vi.waitFor(() => expect(panel.setPassage).toHaveBeenCalledWith('A harmonic drive is a gear.'))
    document.getElementById('text')!.remove()
  })
})

describe('the theme', () => {
  it("follows the page's", async () => {
    start()
    expect(frame().dataset.theme).toBe('light')
    document.documentElement.dataset.theme = 'dark'
    await vi.waitFor(() => expect(frame().dataset.theme).toBe('dark'))
  })

  it('can be forced', () => {
    document.documentElement.dataset.theme = 'dark'
    start({ theme: 'light' })
    expect(frame().dataset.theme).toBe('light')
  })
})

describe('arriving', () => {
  it('marks the text of the address where the browser has not', async () => {
    location.hash = '#drives:~:text=A%20gear'
    start()
    await vi.waitFor(() => expect(module.highlightNamedText).toHaveBeenCalledWith('#drives:~:text=A%20gear', 'body'))
    expect(panel.show).not.toHaveBeenCalled()
  })

  it('opens a persistent chat again after a citation, without taking the focus', async () => {
    sessionStorage.setItem('citebook:reopen', '')
    start({ mode: 'persistent' })
    await vi.waitFor(() => expect(panel.show).toHaveBeenCalledWith(false))
    expect(sessionStorage.length).toBe(0)
  })
})

describe('options', () => {
  it('come from the attributes of the script tag', () => {
    const script = document.createElement('script')
    Object.assign(script.dataset, {
      mode: 'persistent',
      title: 'Robots',
      corner: 'bottom-left',
      width: '900',
      selection: 'false',
      examples: 'One? | Two?',
      modules: '1: ROS 2 | 2 | x',
      bookUrl: 'https://book.example/',
    })
    const options = completed(optionsOfAttributes(script.dataset))
    expect(options).toMatchObject({
      mode: 'persistent',
      title: 'Robots',
      corner: 'bottom-left',
      width: 600,
      selection: false,
      resizable: true,
    })
    expect(options.examples).toEqual(['One?', 'Two?'])
    expect(options.modules).toEqual([
      { number: 1, title: 'ROS 2' },
      { number: 2, title: 'Module 2' },
    ])
    start()
  })

  it('that make no sense are put right', () => {
    start()
    expect(completed({ width: Number.NaN, corner: 'middle' as never })).toMatchObject({
      width: 400,
      corner: 'bottom-right',
    })
  })
})
