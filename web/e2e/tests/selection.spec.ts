/** Text that is selected on the page becomes what a question is about. */
import { expect, type Page, test } from '@playwright/test'
import { Chat, HOSTS, type Host } from './chat'

const TEXT = {
  'the Docusaurus site': 'article p',
  'the served page': '.chapter p',
  'a page with the script tag': 'main article p',
} as const

/** Again, where the page was not yet listening. */
async function selectParagraph(page: Page, host: Host, words: string): Promise<string> {
  const paragraph = page.locator(TEXT[host]).filter({ hasText: words }).first()
  await expect(paragraph).toBeVisible()
  await expect(async () => {
    await paragraph.evaluate((element) => {
      element.scrollIntoView({ block: 'center' })
      document.getSelection()!.removeAllRanges()
      document.getSelection()!.selectAllChildren(element)
    })
    await expect(page.getByRole('button', { name: 'Ask about this', exact: true })).toBeVisible({ timeout: 5_000 })
  }).toPass({ timeout: 90_000 })
  return ((await paragraph.textContent()) ?? '').trim()
}

for (const host of HOSTS) {
  test(`on ${host}, "Ask about this" puts the passage above the question, from where it can be removed`, async ({
    page,
  }) => {
    const chat = await Chat.on(host, page)
    const selected = await selectParagraph(page, host, 'need a robot')
    await page.getByRole('button', { name: 'Ask about this', exact: true }).click()
    const preview = page.getByRole('group', { name: 'Passage your question is about' })
    await expect(preview).toContainText(selected.slice(0, 40))
    await expect(chat.input).toBeFocused()
    await preview.getByRole('button', { name: 'Remove passage' }).click()
    await expect(preview).toBeHidden()
  })

  test(`on ${host}, a strict question is answered from the passage alone, and a loose one from the book`, async ({
    page,
  }) => {
    const chat = await Chat.on(host, page)
    await selectParagraph(page, host, 'need a robot')
    await page.getByRole('button', { name: 'Ask about this', exact: true }).click()
    const strict = page.getByRole('switch', { name: 'Answer from this passage only' })
    await expect(strict).not.toBeChecked()
    await strict.check()
    const asked = page.waitForRequest('**/api/ask-selected')
    await chat.type('Do I need a robot?')
    expect((await asked).postDataJSON()).toHaveProperty('selected_text')
    await expect(chat.questions.last()).toContainText('Only this passage')
    await expect(chat.answers.last()).toHaveAttribute('aria-busy', 'false')
    await expect(chat.answers.last()).toContainText('robot')

    await selectParagraph(page, host, 'need a robot')
    await page.getByRole('button', { name: 'Ask about this', exact: true }).click()
    const loose = page.waitForRequest('**/api/query')
    await chat.type('Do I need a robot?')
    expect((await loose).postDataJSON()).toHaveProperty('selected_text')
    await expect(chat.questions.last()).toContainText('About this passage')
    await expect(chat.answers).toHaveCount(2)
    await expect(chat.answers.last()).toHaveAttribute('aria-busy', 'false')
  })
}

test('a passage that does not answer is refused, and the whole book can be asked then', async ({ page }) => {
  const host = 'the Docusaurus site'
  const chat = await Chat.on(host, page)
  await selectParagraph(page, host, 'need a robot')
  await page.getByRole('button', { name: 'Ask about this', exact: true }).click()
  await page.getByRole('switch').check()
  await chat.type('what is gimbal lock')
  await expect(chat.answers.last()).toContainText('does not answer this')
  await page.getByRole('button', { name: 'Ask the whole book' }).click()
  await expect(chat.answers).toHaveCount(2)
  await expect(chat.answers.last()).toHaveAttribute('aria-busy', 'false')
  await expect(chat.chips.first()).toBeVisible()
})

test('Ctrl+I with a selection asks about it', async ({ page }) => {
  const host = 'the Docusaurus site'
  await Chat.on(host, page)
  await expect(page.locator('.cb-launcher')).toBeVisible()
  await selectParagraph(page, host, 'need a robot')
  await page.keyboard.press('Control+i')
  await expect(page.getByRole('group', { name: 'Passage your question is about' })).toBeVisible()
})
