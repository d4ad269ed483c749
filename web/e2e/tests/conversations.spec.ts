/** Readers who are signed in, conversations that are opened again, and follow-ups where nothing is kept. */
import { createHmac } from 'node:crypto'
import { expect, test } from '@playwright/test'
import { plain } from '../addresses.mjs'
import { SECRET } from '../servers/citebook.mjs'
import { Chat } from './chat'
import { ending, say, scriptedQuestion, whatBecameOf } from './scripted'

const READER = '5f0c7c1e-8f4f-4f5e-9d6b-2a1f3c4d5e6f'

/** A token as a site would sign it. */
function tokenOf(subject: string): string {
  const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${encoded({ alg: 'HS256', typ: 'JWT' })}.${encoded({ sub: subject, exp: Date.now() / 1000 + 3600 })}`
  return `${signed}.${createHmac('sha256', SECRET).update(signed).digest('base64url')}`
}

test('a reader who is signed in has the limit of signed-in readers, and leaves no token behind', async ({ page }) => {
  const limits: (string | undefined)[] = []
  page.on('response', (response) => {
    if (response.url().endsWith('/api/v1/query')) limits.push(response.headers()['x-ratelimit-limit'])
  })
  await page.goto(`${plain}/docs/?mode=persistent&token=${tokenOf(READER)}`)
  const chat = await new Chat(page).open()
  await chat.ask('what is gimbal lock')
  expect(limits).toEqual(['50'])
  const kept = await page.evaluate(() => Object.values(localStorage).join())
  expect(JSON.parse(kept).current.token).toBe('')
  await page.reload()
  await chat.open()
  await expect(chat.questions).toHaveText('what is gimbal lock')
  await page.goto(`${plain}/docs/?mode=persistent`)
  await chat.open()
  await expect(chat.questions).toHaveCount(0)
})

test('a token that is renewed on the page is sent with the next question', async ({ page }) => {
  const chat = await (await Chat.withTag(page, { mode: 'persistent', token: 'first' })).open()
  const question = await scriptedQuestion(
    [{ status: 401, body: { error: { code: 'UNAUTHORIZED', message: 'The token is not valid. Sign in again.' } } }],
    [say('Here it is.'), ending()],
  )
  await chat.type(question)
  await expect(chat.failure).toContainText('Sign in again.')
  await page.evaluate(() => document.querySelector('script[data-token]')!.setAttribute('data-token', 'second'))
  await chat.failure.getByRole('button', { name: 'Try again' }).click()
  await expect(chat.answers).toContainText('Here it is.')
  expect((await whatBecameOf(question)).authorizations).toEqual(['Bearer first', 'Bearer second'])
})

test('earlier conversations of this browser are listed and opened again', async ({ page }) => {
  await page.goto(`${plain}/docs/?mode=persistent`)
  const chat = await new Chat(page).open()
  await chat.ask('what is gimbal lock')
  await page.getByRole('button', { name: 'New chat' }).click()
  await expect(page.getByRole('button', { name: 'Earlier conversations' })).toBeVisible()
  await chat.ask('what is xacro for')
  await page.getByRole('button', { name: 'Earlier conversations' }).click()
  const list = page.getByRole('dialog', { name: 'Earlier conversations' })
  await expect(list.getByRole('listitem')).toHaveText([/what is xacro for.*open now/, /what is gimbal lock/])
  await list.getByRole('button', { name: /what is gimbal lock/ }).click()
  await expect(chat.questions).toHaveText(['what is gimbal lock'])
  await expect(chat.answers).toHaveCount(1)
  await chat.ask('why does it happen?')
  await page.reload()
  await chat.open()
  await expect(chat.questions).toHaveText(['what is gimbal lock', 'why does it happen?'])
})

test('a signed-in reader finds the conversations that the server lists, page by page', async ({ page }) => {
  const chat = await (await Chat.withTag(page, { mode: 'persistent', token: 'a-reader' })).open()
  await page.getByRole('button', { name: 'Earlier conversations' }).click()
  const rows = page.locator('.cb-conversations button')
  await expect(rows).toContainText(['What is a gear?', 'What is a motor?'])
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect(rows).toContainText(['What is a gear?', 'What is a motor?', 'What is a belt?'])
  await expect(page.getByRole('button', { name: 'Show more' })).toBeHidden()
  await rows.nth(2).click()
  await expect(chat.questions).toHaveText('What is a belt?')
  await expect(chat.input).toBeFocused()
})

test('where the server lists none, none are offered', async ({ page }) => {
  const chat = await (await Chat.withTag(page, { mode: 'persistent', token: 'somebody' })).open()
  await chat.type(await scriptedQuestion([say('So.'), ending()]))
  await expect(chat.answers).toContainText('So.')
  await expect(page.getByRole('button', { name: 'Earlier conversations' })).toHaveCount(0)
})

test('a follow-up in an ephemeral chat takes what was said before with it', async ({ page }) => {
  await page.goto(`${plain}/docs/`)
  const chat = await new Chat(page).open()
  await chat.ask('what is gimbal lock')
  const sent = page.waitForRequest('**/api/ask/stream')
  const { outcome } = await chat.ask('why?')
  expect((await sent).postDataJSON().history).toMatchObject([{ question: 'what is gimbal lock' }])
  expect(outcome).toBe('answered')
})
