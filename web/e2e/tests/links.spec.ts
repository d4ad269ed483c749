/** A link to an answer: asked once on opening, with the edition of the book that it was made with. */
import { expect, type Page, test } from '@playwright/test'
import { plain, scripted, server, site } from '../addresses.mjs'
import { Chat } from './chat'
import { ending, say, scriptedQuestion, whatBecameOf } from './scripted'

const ASK = 'ask=what+is+gimbal+lock'

const HOSTS: Record<string, string> = {
  'the served page': `${server}/?mode=ephemeral&${ASK}`,
  'the Docusaurus site': `${site}/docs/?${ASK}`,
  'a page with the script tag': `${plain}/docs/?mode=ephemeral&${ASK}`,
}

for (const [host, address] of Object.entries(HOSTS)) {
  test(`a link to ${host} asks its question once, and leaves the address as it was without it`, async ({ page }) => {
    await page.goto(address)
    const chat = new Chat(page)
    await expect(chat.questions).toHaveText('what is gimbal lock')
    await expect(chat.answers).toHaveAttribute('aria-busy', 'false')
    await expect(chat.answers).toContainText('loss of one degree of freedom')
    expect(new URL(page.url()).searchParams.has('ask')).toBe(false)
    expect(await page.evaluate(() => history.length)).toBeLessThanOrEqual(2)
    await page.reload()
    await (host === 'the served page' ? chat.input : chat.launcher).waitFor()
    await expect(chat.questions).toHaveCount(0)
  })
}

/** The page with the script tag, opened by a link. */
function link(question: string, more: Record<string, string> = {}): string {
  return `${plain}/docs/?${new URLSearchParams({ server: scripted, mode: 'tab', ask: question, ...more })}`
}

test('an answer from a book that has changed since says so, and one from the same book does not', async ({
  page,
}) => {
  const question = await scriptedQuestion([say('A gear.'), ending({ edition: 'edition-2' })])
  const chat = new Chat(page)
  await page.goto(link(question, { edition: 'edition-1' }))
  await expect(chat.answers).toContainText('The book has changed since this link was made')
  await page.goto(link(question, { edition: 'edition-2', mode: 'ephemeral' }))
  await expect(chat.answers).toContainText('A gear.')
  await expect(chat.answers).toHaveAttribute('aria-busy', 'false')
  await expect(chat.answers).not.toContainText('has changed')
})

test('a link is asked alone, below the chat of the tab, and not again by Back', async ({ page }) => {
  const [before, shared] = [
    await scriptedQuestion([say('Before.'), ending()]),
    await scriptedQuestion([say('Shared.'), ending()]),
  ]
  const chat = await (await Chat.withTag(page, { mode: 'tab' })).open()
  await chat.type(before)
  await expect(chat.answers).toContainText('Before.')
  await page.goto(link(shared))
  await expect(chat.questions).toHaveText([before, shared])
  await expect(chat.answers.last()).toContainText('Shared.')
  expect((await whatBecameOf(shared)).bodies[0]).not.toHaveProperty('history')
  await page.goBack()
  await page.goForward()
  await expect(chat.questions).toHaveText([before, shared])
  expect((await whatBecameOf(shared)).asked).toBe(1)
})

for (const [what, question] of Object.entries({
  'is longer than any question': 'a'.repeat(5000),
  'is too short': 'a',
  'cannot be seen': '\u200b\u200b\u200b\u200b',
})) {
  test(`a link whose question ${what} asks nothing`, async ({ page }) => {
    const asked: string[] = []
    page.on('request', (request) => request.method() === 'POST' && asked.push(request.url()))
    await page.goto(link(question))
    const chat = new Chat(page)
    await expect(chat.input).toBeVisible()
    await page.waitForTimeout(500)
    expect(asked).toEqual([])
    expect(new URL(page.url()).searchParams.has('ask')).toBe(false)
  })
}

test('what a link names is a question, never an address or markup', async ({ page }) => {
  const chat = new Chat(page)
  await page.goto(link('https://attacker.example/<img src=x onerror=window.__ran=1>'))
  await expect(chat.questions).toHaveText('https://attacker.example/<img src=x onerror=window.__ran=1>')
  expect(page.url()).toContain(plain)
  expect(await page.evaluate(() => '__ran' in window)).toBe(false)
})

async function copied(page: Page): Promise<URL> {
  await page.getByRole('button', { name: 'Copy link to this answer' }).click()
  await expect(page.getByRole('button', { name: 'Link copied' })).toBeVisible()
  return new URL(await page.evaluate(() => navigator.clipboard.readText()))
}

test('the link that is copied opens the same answer', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const question = await scriptedQuestion([say('A gear.'), ending({ edition: 'edition-2' })])
  const chat = await (await Chat.withTag(page, { token: 'secret' })).open()
  await chat.type(question)
  await expect(chat.answers).toContainText('A gear.')
  const url = await copied(page)
  expect(url.origin + url.pathname).toBe(`${plain}/docs/`)
  expect(Object.fromEntries(url.searchParams)).toEqual({ ask: question, edition: 'edition-2' })
})
