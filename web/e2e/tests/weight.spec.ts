/** What the chat costs a page: next to nothing before it is opened. */
import { gzipSync } from 'node:zlib'
import { expect, type Page, type Response, test } from '@playwright/test'
import { plain, server, site } from '../addresses.mjs'
import { Chat } from './chat'

/** In a bundle of the site, the button comes with the site's own loader. */
const BUTTON_ON_SITE_BYTES = 10_000
const BUTTON_BYTES = 5_000
const WHOLE_BYTES = 95_000

/** The responses to a page that has come to rest. */
async function loadedBy(page: Page, address: string): Promise<Response[]> {
  const responses: Response[] = []
  page.on('response', (response) => responses.push(response))
  await page.goto(address)
  await page.locator('.cb-launcher').waitFor()
  await page.waitForLoadState('networkidle')
  return responses
}

async function packed(responses: Response[]): Promise<number> {
  const bodies = await Promise.all(responses.map((response) => response.body()))
  return bodies.reduce((sum, body) => sum + gzipSync(body, { level: 9 }).length, 0)
}

test('a page with the script tag loads widget.js alone, under 5 kB, until the chat is opened', async ({ page }) => {
  const loaded = (await loadedBy(page, `${plain}/docs/`)).filter((response) => response.url().startsWith(server))
  expect(loaded.map((response) => new URL(response.url()).pathname)).toEqual(['/widget.js'])
  expect(await packed(loaded)).toBeLessThan(BUTTON_BYTES)
})

/** Its code: the contents of the book, which the chat reads, are as long as the book. */
test('the whole script-tag chat is under 95 kB when it is open', async ({ page }) => {
  const responses = await loadedBy(page, `${plain}/docs/`)
  await new Chat(page).open()
  await page.waitForLoadState('networkidle')
  const code = responses.filter((response) => response.url().startsWith(server) && response.url().endsWith('.js'))
  expect(code.length).toBeGreaterThan(1)
  expect(await packed(code)).toBeLessThan(WHOLE_BYTES)
})

test('a Docusaurus page loads the button alone, under 10 kB, and asks nothing of the server', async ({ page }) => {
  const responses = await loadedBy(page, `${site}/docs/`)
  expect(responses.filter((response) => response.url().startsWith(server))).toEqual([])
  const bodies = await Promise.all(
    responses.map(async (response) => ({ url: response.url(), text: await response.text() })),
  )
  const ours = bodies.filter(({ url, text }) => url.endsWith('.js') && text.includes('cb-launcher'))
  expect(ours).toHaveLength(1)
  expect(gzipSync(ours[0]!.text, { level: 9 }).length).toBeLessThan(BUTTON_ON_SITE_BYTES)
  expect(bodies.some(({ text }) => text.includes('cb-composer'))).toBe(false)
})
