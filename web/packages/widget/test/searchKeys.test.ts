import { afterEach, expect, it } from 'vitest'
import { isSearchKey } from '../src/host/searchKeys'

const KEYS = ['mod+k', '/']

/** Whether the key opens the box when it is pressed here. */
function opens(target: EventTarget, init: KeyboardEventInit, keys = KEYS, before?: (event: Event) => void): boolean {
  let isOpened = false
  const heard = (event: KeyboardEvent): void => {
    isOpened = isSearchKey(event, keys)
  }
  if (before) document.addEventListener('keydown', before, { once: true })
  addEventListener('keydown', heard)
  target.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, cancelable: true, composed: true, ...init }))
  removeEventListener('keydown', heard)
  return isOpened
}

const add = (html: string): Element => {
  document.body.innerHTML = html
  return document.body.firstElementChild!
}

afterEach(() => {
  document.body.innerHTML = ''
})

it.each([{ key: 'k', ctrlKey: true }, { key: 'K', metaKey: true }, { key: '/' }, { key: '/', shiftKey: true }])(
  'opens with %o anywhere on the page',
  (init) => {
    expect(opens(document.body, init)).toBe(true)
  },
)

it.each([{ key: 'k' }, { key: 'j', ctrlKey: true }, { key: 'k', ctrlKey: true, altKey: true }])(
  'does not open with %o',
  (init) => {
    expect(opens(document.body, init)).toBe(false)
  },
)

it.each([
  '<input>',
  '<textarea></textarea>',
  '<select></select>',
  '<p contenteditable>x</p>',
  '<p role="searchbox">x</p>',
])('leaves a slash to %s, in which it is typed', (html) => {
  expect(opens(add(html), { key: '/' })).toBe(false)
})

it('leaves a slash to a field inside a shadow root', () => {
  const root = add('<div></div>').attachShadow({ mode: 'open' })
  root.innerHTML = '<input>'
  expect(opens(root.firstElementChild!, { key: '/' })).toBe(false)
})

it('opens with Ctrl+K from a field, but not from an editor, which makes links with it', () => {
  expect(opens(add('<input>'), { key: 'k', ctrlKey: true })).toBe(true)
  expect(opens(add('<p contenteditable="true">x</p>'), { key: 'k', ctrlKey: true })).toBe(false)
})

it('leaves the key to a page that has taken it', () => {
  expect(opens(document.body, { key: 'k', ctrlKey: true }, KEYS, (event) => event.preventDefault())).toBe(false)
})

it('leaves the key to the DocSearch of the page, but not the slash', () => {
  add('<button class="DocSearch-Button"></button>')
  expect(opens(document.body, { key: 'k', ctrlKey: true })).toBe(false)
  expect(opens(document.body, { key: '/' })).toBe(true)
})

it('goes by the keys that the site has chosen', () => {
  expect(opens(document.body, { key: 'k', ctrlKey: true }, ['mod+j'])).toBe(false)
  expect(opens(document.body, { key: 'j', ctrlKey: true }, ['mod+j'])).toBe(true)
  expect(opens(document.body, { key: '/' }, [])).toBe(false)
})
