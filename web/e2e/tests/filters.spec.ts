/** Questions that are limited to a part of the book, in both ways of keeping a chat. */
import { expect, type Page, test } from '@playwright/test'
import { plain } from '../addresses.mjs'
import { Chat } from './chat'
import { ending, say, scriptedQuestion, whatBecameOf } from './scripted'

async function choose(page: Page, label: string, value: string): Promise<void> {
  await page.getByLabel(label, { exact: true }).selectOption(value)
}

for (const mode of ['ephemeral', 'persistent']) {
  test(`a chat that is ${mode} asks of the part, level and topics that were chosen, and says what became of it`, async ({
    page,
  }) => {
    const chat = await (await Chat.withTag(page, { mode })).open()
    const toggle = page.getByRole('button', { name: /^Search in:/ })
    await toggle.click()
    await choose(page, 'Part of the book', 'Motion')
    await choose(page, 'Level', 'advanced')
    await choose(page, 'Topics', 'slam')
    await expect(toggle).toHaveText('Search in: Motion · Advanced · slam')
    const told = 'The book has nothing for tags: slam, so all of it was searched. It has tags: imu.'
    const question = await scriptedQuestion([say('So.'), ending({ filterMessage: told, filter_message: told })])
    await chat.type(question)
    await expect(chat.answers).toContainText(told)
    await expect(page.locator('.cb-filters')).toBeHidden()
    const [body] = (await whatBecameOf(question)).bodies
    expect(body?.filters).toEqual({ module: 2, difficulty: 'advanced', tags: ['slam'] })
  })

  test(`the real server limits the answer of a chat that is ${mode}`, async ({ page }) => {
    await page.goto(`${plain}/docs/?mode=${mode}`)
    const chat = await new Chat(page).open()
    await page.getByRole('button', { name: /^Search in:/ }).click()
    await choose(page, 'Topics', 'kinematics')
    await chat.ask('what is gimbal lock')
    await expect(chat.answers.locator('.cb-filter-note')).toHaveCount(0)
    await page.getByRole('button', { name: /^Search in:/ }).click()
    await page.getByRole('button', { name: 'Remove topic kinematics' }).click()
    await choose(page, 'Topics', 'ethics')
    await chat.ask('what is gimbal lock')
    await expect(chat.answers.last().locator('.cb-filter-note')).toContainText('searched')
  })
}

test('the choices go by keyboard alone, and Escape puts them away without closing the chat', async ({ page }) => {
  const chat = await (await Chat.withTag(page)).open()
  await page.keyboard.press('Tab')
  if (!(await chat.send.isDisabled())) await page.keyboard.press('Tab')
  await expect(page.getByRole('button', { name: /^Search in:/ })).toBeFocused()
  await page.keyboard.press('Enter')
  await page.getByLabel('Level', { exact: true }).focus()
  await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('button', { name: 'Search in: Beginner' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.locator('.cb-filters')).toBeHidden()
  await expect(chat.input).toBeFocused()
})
