/** In a wide window the chat stands beside the page; and on a small one nothing lies over its last lines. */
import { expect, type Page, test } from '@playwright/test'
import { site } from '../addresses.mjs'
import { Chat, markedText } from './chat'
import { ending, say, scriptedQuestion } from './scripted'

/** Words of the page that lie behind the panel. */
function coveredWords(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const panel = document
      .querySelector('citebook-chat')!
      .shadowRoot!.querySelector('.cb-panel')!
      .getBoundingClientRect()
    const isBehind = ({ left, right, top, bottom, width }: DOMRect): boolean =>
      width > 0 && left < panel.right - 1 && right > panel.left + 1 && top < panel.bottom && bottom > panel.top
    return [...document.querySelectorAll('main p, main li, main h1, main h2, nav a')]
      .filter((element) => isBehind(element.getBoundingClientRect()))
      .map((element) => element.textContent!.slice(0, 40))
  })
}

test('at 1280 pixels nothing of a Docusaurus page lies behind the chat, and all is as before when it closes', async ({
  page,
}) => {
  await page.goto(`${site}/docs/module-1-ros2/chapter-2-kinematics`)
  const width = () => page.locator('main').evaluate((main) => main.getBoundingClientRect().right)
  const before = await width()
  const chat = await new Chat(page).open()
  expect(await coveredWords(page)).toEqual([])
  const panel = (await chat.panel.boundingBox())!
  expect([panel.y, panel.height, panel.x + panel.width]).toEqual([0, 800, 1280])
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
  await chat.ask('what is gimbal lock')
  await chat.chips.first().click()
  const marked = await markedText(page)
  expect([marked.isInView, marked.isUncovered]).toEqual([true, true])
  await page.getByRole('button', { name: 'Close chat' }).click()
  await expect.poll(width).toBe(before)
})

test('a wider panel takes more room, and a narrower window gives the room back', async ({ page }) => {
  const chat = await (await Chat.withTag(page)).open()
  const margin = () => page.evaluate(() => document.documentElement.style.marginRight)
  expect(await margin()).toBe('400px')
  await page.getByRole('separator', { name: 'Width of the chat' }).press('ArrowLeft')
  expect(await margin()).toBe('420px')
  await page.setViewportSize({ width: 1279, height: 800 })
  await expect.poll(margin).toBe('')
  expect((await chat.panel.boundingBox())!.height).toBeLessThan(700)
})

test('a chat on the left makes room there, and one that floats makes none', async ({ page }) => {
  await (await Chat.withTag(page, { corner: 'top-left' })).open()
  expect(await page.evaluate(() => document.documentElement.style.marginLeft)).toBe('400px')
  const chat = await (await Chat.withTag(page, { placement: 'floating' })).open()
  expect(await page.evaluate(() => document.documentElement.style.cssText)).toBe('')
  expect((await chat.panel.boundingBox())!.height).toBeLessThan(700)
})

test('"Jump to latest" covers nothing of the conversation on a small screen', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 })
  const chat = await (await Chat.withTag(page)).open()
  const sentences = Array.from({ length: 40 }, (_, index) => say(`Sentence ${index} of a long answer. `))
  await chat.type(await scriptedQuestion([...sentences, ending()]))
  await expect(chat.answers).toHaveAttribute('aria-busy', 'false')
  const jump = page.getByRole('button', { name: 'Jump to latest' })
  const [button, list] = [(await jump.boundingBox())!, (await page.locator('.cb-conversation').boundingBox())!]
  expect(button.y).toBeGreaterThanOrEqual(list.y + list.height)
  await jump.click()
  await expect(jump).toBeHidden()
  await expect(page.locator('.cb-answer-footer')).toBeInViewport()
})

test('a question stays at the top of its answer, and sections that come late move nothing', async ({ page }) => {
  let tell: () => void = () => undefined
  const isTold = new Promise<void>((resolve) => {
    tell = resolve
  })
  await page.route('**/api/search?*', async (route) => {
    await isTold
    const section = { title: 'Late', page: 'Late', part: null, url: '/docs/', snippet: '' }
    await route.fulfill({ json: { sections: [section] }, headers: { 'Access-Control-Allow-Origin': '*' } })
  })
  const chat = await (await Chat.withTag(page)).open()
  const sentences = Array.from({ length: 60 }, (_, index) => say(`Sentence ${index} of a long answer. `))
  await chat.type(await scriptedQuestion([...sentences, ending({ support: 'unsure' })]))
  await expect(chat.answers).toHaveAttribute('aria-busy', 'false')
  const list = page.locator('.cb-conversation')
  const [frame, question] = [(await list.boundingBox())!, (await chat.questions.boundingBox())!]
  expect(question.y - frame.y).toBeGreaterThanOrEqual(0)
  expect(question.y - frame.y).toBeLessThan(30)
  const position = await list.evaluate((element) => {
    element.scrollTop += 150
    return element.scrollTop
  })
  tell()
  await expect(page.getByRole('link', { name: 'Late' })).toBeAttached()
  expect(await list.evaluate((element) => element.scrollTop)).toBe(position)
})
