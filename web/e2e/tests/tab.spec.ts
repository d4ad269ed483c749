/** A chat of the tab: it survives a page change, Back and a reload, and is nowhere but in this tab. */
import { expect, type Page, test } from '@playwright/test'
import { plain, server } from '../addresses.mjs'
import { Chat, markedText } from './chat'

const QUESTION = 'what is gimbal lock'
const PAGES: Record<string, string> = {
  'the served page': `${server}/`,
  'a page with the script tag': `${plain}/docs/`,
}

async function visit(page: Page, address: string): Promise<Chat> {
  await page.goto(address)
  return new Chat(page).open()
}

for (const [host, address] of Object.entries(PAGES)) {
  test.describe(`by default, on ${host}, the chat`, () => {
    test('is there after a reload, with its thumbs and its meaning, and in no other tab', async ({
      page,
      context,
    }) => {
      const chat = await visit(page, address)
      await chat.ask(QUESTION)
      await expect(chat.answers.locator('.cb-formula-source')).toHaveCount(0)
      const said = (await chat.answers.locator('.cb-rendered').textContent()) ?? ''
      const meaning = (await chat.answers.locator('.cb-confidence summary').textContent()) ?? ''
      await page.getByRole('button', { name: 'Good answer' }).click()
      await page.getByRole('button', { name: 'Skip' }).click()
      await page.reload()
      await expect(chat.answers).toBeVisible()
      await expect(page.getByRole('button', { name: 'Good answer' })).toHaveAttribute('aria-pressed', 'true')
      await expect(chat.answers.locator('.cb-confidence summary')).toHaveText(meaning)
      await expect(chat.answers.locator('.cb-rendered')).toHaveText(said)
      expect(await page.evaluate(() => [localStorage.length, document.cookie])).toEqual([0, ''])

      const other = await visit(await context.newPage(), address)
      await expect(other.questions).toHaveCount(0)
    })

    test('takes what was said before with a follow-up, also after a reload', async ({ page }) => {
      const chat = await visit(page, address)
      await chat.ask(QUESTION)
      await page.reload()
      await expect(chat.answers).toBeVisible()
      const asked = page.waitForRequest('**/api/ask/stream')
      await chat.type('why does it happen?')
      const { history } = (await asked).postDataJSON() as { history: { question: string }[] }
      expect(history.map(({ question }) => question)).toEqual([QUESTION])
      expect((await asked).headers()['x-citebook-keep']).toBe('nothing')
    })

    test('ends with "End chat", and leaves nothing', async ({ page }) => {
      const chat = await visit(page, address)
      await chat.ask(QUESTION)
      await page.getByRole('button', { name: 'End chat' }).click()
      await page.getByRole('alertdialog').getByRole('button', { name: 'End chat' }).click()
      await expect(chat.questions).toHaveCount(0)
      const kept = await page.evaluate(() => Object.keys(sessionStorage).filter((key) => key.includes('tab')))
      expect(kept).toEqual([])
    })
  })
}

test('with the script tag, the chat is open on the page that a citation leads to, and after Back', async ({
  page,
}) => {
  const chat = await visit(page, PAGES['a page with the script tag']!)
  const { citations } = await chat.ask(QUESTION)
  await chat.chips.first().click()
  await page.waitForURL((url) => url.pathname.startsWith(citations[0]!.url.split('#')[0]!))
  await expect(chat.questions).toHaveText(QUESTION)
  await expect(chat.panel).toBeVisible()
  await page.goBack()
  await page.waitForURL((url) => url.pathname === '/docs/')
  await expect(chat.panel).toBeVisible()
  await expect(chat.questions).toHaveText(QUESTION)
})

test('minimised, it is closed on the next page, and opens with what was said', async ({ page }) => {
  const chat = await visit(page, PAGES['a page with the script tag']!)
  await chat.ask(QUESTION)
  await page.getByRole('button', { name: 'Minimise chat' }).click()
  await expect(chat.panel).toBeHidden()
  await page.reload()
  await expect(chat.launcher).toBeVisible()
  await expect(chat.panel).toBeHidden()
  await chat.open()
  await expect(chat.questions).toHaveText(QUESTION)
})

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 780 }, hasTouch: true })

  test('Back closes the chat that fills the screen, and leaves the page as it was', async ({ page }) => {
    await page.goto(`${plain}/docs/`)
    await page.evaluate(() => scrollTo(0, 300))
    const chat = await new Chat(page).open()
    await chat.ask(QUESTION)
    await page.goBack()
    await expect(chat.panel).toBeHidden()
    expect(new URL(page.url()).pathname).toBe('/docs/')
    expect(await page.evaluate(() => scrollY)).toBe(300)
    await chat.open()
    await expect(chat.questions).toHaveText(QUESTION)
  })

  test('closing it by its button leaves nothing behind for Back', async ({ page }) => {
    await page.goto(`${plain}/docs/?first`)
    await page.goto(`${plain}/docs/`)
    const chat = await new Chat(page).open()
    await page.getByRole('button', { name: 'Minimise chat' }).click()
    await expect(chat.panel).toBeHidden()
    await page.goBack()
    await page.waitForURL('**/docs/?first')
  })

  test('Back from a citation of the served page leads to the chat again', async ({ page }) => {
    await page.goto(`${server}/`)
    await page.getByRole('button', { name: 'Chat', exact: true }).click()
    const chat = new Chat(page)
    await expect(chat.input).toBeVisible()
    await chat.ask(QUESTION)
    await page.locator('.cb-source').first().click()
    await markedText(page)
    await page.goBack()
    await expect(chat.answers).toBeVisible()
  })
})
