/** What is kept of a conversation: nothing in `ephemeral`, and in `persistent` what the server keeps, in all tabs. */
import { type BrowserContext, expect, type Page, test } from '@playwright/test'
import { plain, server, site } from '../addresses.mjs'
import { Chat, HOSTS } from './chat'

const QUESTION = 'what is gimbal lock'

/** All that a browser can keep for a page, by the place where it is kept; a site's own entries are told apart by name. */
async function keptBy(page: Page, context: BrowserContext): Promise<string[]> {
  const inPage = await page.evaluate(async () => [
    ...Object.keys(localStorage).map((key) => `local ${key}`),
    ...Object.keys(sessionStorage).map((key) => `session ${key}`),
    ...(await indexedDB.databases()).map(({ name }) => `database ${name}`),
    ...('caches' in window ? await caches.keys() : []).map((name) => `cache ${name}`),
  ])
  const cookies = (await context.cookies()).map(({ name }) => `cookie ${name}`)
  return [...inPage, ...cookies]
}

/** Docusaurus itself remembers which item of the sidebar was open. */
const ofSite = (entry: string): boolean => /docusaurus|theme/.test(entry)

for (const host of HOSTS) {
  test(`an ephemeral chat on ${host} leaves nothing in the browser`, async ({ page, context }) => {
    const chat = await (await Chat.on(host, page)).open()
    await chat.ask(QUESTION)
    expect((await keptBy(page, context)).filter((entry) => !ofSite(entry))).toEqual([])
    await chat.chips.first().click()
    await page.waitForTimeout(500)
    expect((await keptBy(page, context)).filter((entry) => !ofSite(entry))).toEqual([])
  })
}

for (const host of ['the Docusaurus site', 'a page with the script tag'] as const) {
  test(`an ephemeral chat on ${host} is gone within 100 ms of closing`, async ({ page }) => {
    const chat = await (await Chat.on(host, page)).open()
    const { text } = await chat.ask(QUESTION)
    const said = text.slice(0, 30)
    const left = await page.evaluate(async (words) => {
      const root = document.querySelector('citebook-chat')!.shadowRoot!
      if (!root.textContent?.includes(words)) return 'The answer was not there.'
      const button = root.querySelector<HTMLElement>('[aria-label="Close chat"]')!
      button.click()
      await new Promise((resolve) => setTimeout(resolve, 100))
      return root.querySelectorAll('.cb-answer, .cb-question').length + (root.textContent.includes(words) ? 1 : 0)
    }, said)
    expect(left).toBe(0)
    await chat.open()
    await expect(chat.answers).toHaveCount(0)
    await expect(chat.input).toHaveValue('')
  })
}

const PERSISTENT: Record<string, string> = {
  'the served page': `${server}/?mode=persistent`,
  'a page with the script tag': `${plain}/docs/?mode=persistent`,
}

for (const [host, address] of Object.entries(PERSISTENT)) {
  test.describe(`a persistent chat on ${host}`, () => {
    async function visit(page: Page): Promise<Chat> {
      await page.goto(address)
      return new Chat(page).open()
    }

    test('is there after a reload and in a second tab', async ({ page, context }) => {
      const chat = await visit(page)
      const { text } = await chat.ask(QUESTION)
      const said = text.slice(0, 30)
      await page.reload()
      await chat.open()
      await expect(chat.answers).toContainText(said)
      await expect(chat.questions).toContainText(QUESTION)
      const second = await visit(await context.newPage())
      await expect(second.answers).toContainText(said)
    })

    test('shows in one tab what was asked in the other', async ({ page, context }) => {
      const chat = await visit(page)
      await chat.ask(QUESTION)
      const second = await visit(await context.newPage())
      await expect(second.questions).toHaveCount(1)
      await second.ask('what is xacro for')
      await expect(chat.questions).toHaveText([QUESTION, 'what is xacro for'])
    })

    test('is deleted here, in the other tab and on the server by "Clear history"', async ({ page, context }) => {
      const chat = await visit(page)
      await chat.ask(QUESTION)
      const second = await visit(await context.newPage())
      await expect(second.questions).toHaveCount(1)
      const stored = await page.evaluate(() => Object.values(localStorage).join())
      const session = JSON.parse(stored) as { current: { id: string; token: string } }
      await page.getByRole('button', { name: 'Clear history' }).click()
      await page.getByRole('button', { name: 'Delete' }).click()
      await expect(chat.questions).toHaveCount(0)
      await expect(second.questions).toHaveCount(0)
      const response = await fetch(`${server}/api/v1/chat/sessions/${session.current.id}`, {
        headers: { 'X-Session-Token': session.current.token },
      })
      expect(response.status).toBe(404)
      expect(await page.evaluate(() => localStorage.length)).toBe(0)
    })

    test('begins anew with "New chat"', async ({ page }) => {
      const chat = await visit(page)
      await chat.ask(QUESTION)
      await page.getByRole('button', { name: 'New chat' }).click()
      await expect(chat.questions).toHaveCount(0)
      await chat.ask('what is xacro for')
      await page.reload()
      await chat.open()
      await expect(chat.questions).toHaveText(['what is xacro for'])
    })
  })
}

test('a persistent chat on the Docusaurus site is there after a reload', async ({ page }) => {
  await page.route('**/assets/js/main.*.js', async (route) => {
    const body = (await (await route.fetch()).text()).replace(
      /(["']?mode["']?:\s*)(\\?["'])ephemeral/g,
      '$1$2persistent',
    )
    await route.fulfill({ body, contentType: 'text/javascript' })
  })
  await page.goto(`${site}/docs/`)
  const chat = await new Chat(page).open()
  await chat.ask(QUESTION)
  await page.reload()
  await chat.open()
  await expect(chat.questions).toHaveText(QUESTION)
})

test('a persistent chat closes and opens again with its conversation', async ({ page }) => {
  await page.goto(PERSISTENT['a page with the script tag']!)
  const chat = await new Chat(page).open()
  await chat.ask(QUESTION)
  await page.keyboard.press('Escape')
  await expect(chat.panel).toBeHidden()
  await chat.open()
  await expect(chat.questions).toHaveText(QUESTION)
})
