/** Watches what a hostile answer does in a page: elements, requests, dialogs, scripts that run. */

import { expect, type Page } from '@playwright/test'
import { plain, scripted, server } from '../addresses.mjs'

export interface Watch {
  /** Requests to anyone but the servers of these tests. */
  foreign: string[]
  dialogs: string[]
}

export function watch(page: Page): Watch {
  const seen: Watch = { foreign: [], dialogs: [] }
  const own = [plain, scripted, server]
  page.on('request', (request) => {
    if (!own.some((address) => request.url().startsWith(`${address}/`))) seen.foreign.push(request.url())
  })
  page.on('dialog', (dialog) => {
    seen.dialogs.push(dialog.message())
    void dialog.dismiss()
  })
  return seen
}

/** Looks at each state that the chat's elements pass through, also those that a reader never sees. */
export async function guard(page: Page): Promise<void> {
  await page.evaluate(() => {
    const found: string[] = []
    const forbidden =
      'script, style, link, iframe, frame, object, embed, img, picture, video, audio, base, meta, form:not(.cb-composer, .cb-feedback), ' +
      'input:not([type=checkbox]), svg:not(.cb-icon, .cb-launcher svg), foreignObject, template, dialog, area'
    const isForbidden = (name: string, value: string): boolean =>
      name.startsWith('on') ||
      /^(src|srcset|srcdoc|action|formaction|background|ping|poster|xlink:href)$/.test(name) ||
      /^\s*(javascript|data|vbscript|file):/i.test(value) ||
      (name === 'href' && new URL(value, location.href).origin !== location.origin) ||
      (name === 'style' && /url|expression|import/i.test(value))
    const check = (element: Element): void => {
      if (element.matches(forbidden)) found.push(element.outerHTML.slice(0, 200))
      const attributes = [...element.attributes].filter(({ name, value }) => isForbidden(name, value))
      found.push(...attributes.map(({ name, value }) => `${name}=${value}`))
    }
    const root: ParentNode & Node =
      document.querySelector('citebook-chat')?.shadowRoot ?? document.querySelector('#app')!
    new MutationObserver((records) => {
      const added = records.flatMap(({ addedNodes }) => [...addedNodes]).filter((node) => node instanceof Element)
      const changed = records.map(({ target }) => target).filter((node) => node instanceof Element)
      for (const element of [...changed, ...added.flatMap((one) => [one, ...one.querySelectorAll('*')])])
        check(element)
    }).observe(root, { subtree: true, childList: true, attributes: true })
    Object.assign(window, { __found: found })
  })
}

export async function expectHarmless(page: Page, seen: Watch): Promise<void> {
  expect(await page.evaluate(() => (window as unknown as { __found: string[] }).__found)).toEqual([])
  expect(await page.evaluate(() => '__ran' in window)).toBe(false)
  expect(seen).toEqual({ foreign: [], dialogs: [] })
}

/** Asks each question in a chat of its own and gives back what the reader saw in the end. */
export async function askAll(page: Page, questions: string[]): Promise<string[]> {
  return page.evaluate(async (names) => {
    const root = document.querySelector('citebook-chat')!.shadowRoot!
    const shown: string[] = []
    for (const name of names) {
      await window.Citebook!.ask(name)
      await new Promise<void>((resolve, reject) => {
        const late = setTimeout(
          () => reject(new Error(`no end of ${name}: ${root.textContent?.slice(0, 300)}`)),
          120_000,
        )
        const look = (): void => {
          if (!root.querySelector('.cb-answer[aria-busy=false], .cb-failure')) return void setTimeout(look, 4)
          clearTimeout(late)
          resolve()
        }
        look()
      })
      shown.push(root.querySelector('.cb-answer')?.textContent ?? 'no answer')
      window.Citebook!.close()
    }
    return shown
  }, questions)
}

export function batches<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  )
}
