/** One box on every host: sections while one types, and a row that asks. By keyboard alone. */
import AxeBuilder from '@axe-core/playwright'
import { expect, type Page, test } from '@playwright/test'
import { Chat, HOSTS, type Host, untilNothingMoves } from './chat'
import { ending, say, scriptedQuestion } from './scripted'

const SECTION = {
  title: 'Who this book is for',
  page: 'About this book',
  part: null,
  url: '/docs/#audience',
  snippet: 'You do not need a robot.',
}

const box = (page: Page) => page.getByRole('combobox', { name: 'Search or ask' })
const options = (page: Page) => page.getByRole('option')

/** The host page has come to rest, with the chat's keys on it. */
async function visit(host: Host, page: Page): Promise<Chat> {
  const chat = await Chat.on(host, page)
  await (host === 'the served page' ? chat.input : chat.launcher).waitFor()
  return chat
}

/** What the book says to those who search it, where the server is the scripted one. */
async function tellSections(page: Page, sections: object[]): Promise<void> {
  await page.route('**/api/search?*', (route) =>
    route.fulfill({ json: { sections, corrections: [] }, headers: { 'Access-Control-Allow-Origin': '*' } }),
  )
}

for (const host of HOSTS) {
  test(`on ${host}, Ctrl+K finds a section by its first letters, and Enter opens it`, async ({ page }) => {
    await visit(host, page)
    await page.keyboard.press('Control+k')
    await expect(box(page)).toBeFocused()
    await page.keyboard.type('gimb')
    await expect(options(page).first()).toContainText('Ways to write an orientation')
    await expect(page.locator('.cb-find mark').first()).toHaveText(/^gimb$/i)
    await expect(box(page)).toHaveAttribute(
      'aria-activedescendant',
      (await options(page).first().getAttribute('id'))!,
    )
    await page.keyboard.press('Enter')
    await expect(box(page)).toBeHidden()
    await expect(page).toHaveURL(/[#=]orientation$/)
    await expect(page.getByRole('heading', { name: /Ways to write an orientation/ }).first()).toBeInViewport()
  })

  test(`on ${host}, a slash opens the box, and its last row asks`, async ({ page }) => {
    const chat = await visit(host, page)
    await page.keyboard.press('/')
    await expect(box(page)).toBeFocused()
    await page.keyboard.type('gimbal lock')
    await expect(options(page)).not.toHaveCount(1)
    await page.keyboard.press('ArrowUp')
    await expect(page.locator('[role=option][aria-selected=true]')).toHaveText('Ask: gimbal lock')
    await page.keyboard.press('Enter')
    await expect(chat.questions).toHaveText('gimbal lock')
    await expect(chat.answers).toHaveAttribute('aria-busy', 'false')
    await expect(chat.input).toBeFocused()
  })
}

for (const colorScheme of ['light', 'dark'] as const) {
  test(`the box has no violation in ${colorScheme} mode, empty, with sections and without`, async ({ page }) => {
    await page.emulateMedia({ colorScheme })
    await visit('the served page', page)
    await page.keyboard.press('Control+k')
    for (const typed of ['', 'sensor', ' zzzz']) {
      await page.keyboard.type(typed)
      if (typed === 'sensor') await expect(options(page).nth(2)).toBeVisible()
      if (typed === ' zzzz') await expect(page.getByText('Ask: sensor zzzz')).toBeVisible()
      await untilNothingMoves(page)
      const { violations } = await new AxeBuilder({ page }).analyze()
      expect.soft(violations.map(({ id, nodes }) => `${id} ${nodes[0]?.html}`)).toEqual([])
    }
  })
}

test('Escape closes the box and gives the focus back; a press beside it closes it, too', async ({ page }) => {
  await Chat.withTag(page)
  await page.evaluate(() => document.body.insertAdjacentHTML('afterbegin', '<button id="own">Own</button>'))
  await page.locator('#own').focus()
  await page.keyboard.press('Control+k')
  await expect(box(page)).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(box(page)).toBeHidden()
  await expect(page.locator('#own')).toBeFocused()
  await page.keyboard.press('Control+k')
  await expect(box(page)).toBeFocused()
  await page.mouse.click(5, 500)
  await expect(box(page)).toBeHidden()
})

test('a slash that is typed into a field of the page stays there, and so does what the page does with Ctrl+K', async ({
  page,
}) => {
  const chat = await Chat.withTag(page)
  await chat.launcher.waitFor()
  await page.evaluate(() => {
    document.body.insertAdjacentHTML(
      'afterbegin',
      '<input id="own" style="display: block !important"><p id="editor" contenteditable>text</p>',
    )
    document.addEventListener('keydown', (event) => {
      if (event.key !== 'k' || !event.ctrlKey) return
      event.preventDefault()
      document.title = 'The page has taken it'
    })
  })
  await page.locator('#own').pressSequentially('a/b')
  await expect(page.locator('#own')).toHaveValue('a/b')
  await page.locator('#editor').pressSequentially('/')
  await page.locator('#own').press('Control+k')
  await expect(page).toHaveTitle('The page has taken it')
  await expect(box(page)).toBeHidden()
})

test('a site can do without the keys, or choose others', async ({ page }) => {
  const chat = await Chat.withTag(page, { 'search-keys': 'false' })
  await chat.launcher.waitFor()
  await page.keyboard.press('/')
  await expect(box(page)).toBeHidden()
  await Chat.withTag(page, { 'search-keys': 'mod+j' })
  await chat.launcher.waitFor()
  await page.keyboard.press('Control+j')
  await expect(box(page)).toBeFocused()
})

test('the box is reached without keys, from the chat', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 780 })
  await tellSections(page, [SECTION])
  const chat = await (await Chat.withTag(page)).open()
  await page.getByRole('button', { name: 'Search or ask' }).click()
  await box(page).fill('who')
  await options(page).filter({ hasText: SECTION.title }).click()
  await expect(chat.panel).toBeHidden()
  await expect(page.getByRole('heading', { name: /Who this book is for/ })).toBeInViewport()
})

for (const host of HOSTS) {
  test(`on ${host}, on a phone, Back closes the box and stays on the page, and leads back from a section`, async ({
    page,
  }) => {
    await page.setViewportSize({ width: 390, height: 780 })
    await visitOnPhone(host, page)
    const [address, length] = [page.url(), await page.evaluate(() => history.length)]
    await openBox(page)
    await page.goBack()
    await expect(box(page)).toBeHidden()
    await openBox(page)
    await page.getByRole('button', { name: 'Close search' }).click()
    await expect(box(page)).toBeHidden()
    await expect(page).toHaveURL(address)
    await openBox(page)
    await box(page).fill('gimb')
    await options(page).filter({ hasText: 'Ways to write an orientation' }).click()
    await expect(page).toHaveURL(/[#=]orientation$/)
    expect(await page.evaluate(() => history.length), 'one step for the section').toBe(length + 1)
    await page.goBack()
    await expect(page).toHaveURL(address)
    await expect(box(page)).toBeHidden()
  })
}

/** The magnifying glass is in the bar of the served page, and in the chat elsewhere. */
async function visitOnPhone(host: Host, page: Page): Promise<void> {
  const chat = await Chat.on(host, page)
  if (host !== 'the served page') await chat.open()
}

async function openBox(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Search or ask' }).filter({ visible: true }).first().click()
  await expect(box(page)).toBeFocused()
}

test('where sections cannot be searched, the box says so and still asks', async ({ page }) => {
  await page.route('**/api/search?*', (route) => route.abort())
  const chat = await Chat.withTag(page)
  await chat.launcher.waitFor()
  const question = await scriptedQuestion([say('Yes.'), ending()])
  await page.keyboard.press('Control+k')
  await box(page).fill(question)
  await expect(page.getByText('Sections cannot be searched right now')).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(chat.answers).toContainText('Yes.')
})

test('a near refusal and an unsure answer end in sections, a far refusal in none', async ({ page }) => {
  await tellSections(page, [SECTION])
  const chat = await (await Chat.withTag(page)).open()
  const named = { title: 'Named by the server', url: '/docs/', snippet: '' }
  const lists = page.locator('.cb-suggestions')
  await chat.type(await scriptedQuestion([say('Not there.'), ending({ outcome: 'refused', suggestions: [named] })]))
  await expect(lists.last().getByRole('link')).toHaveText(['Named by the server'])
  await chat.type(await scriptedQuestion([say('Not there.'), ending({ outcome: 'refused' })]))
  await expect(chat.answers.last()).toContainText('Not there.')
  await chat.type(await scriptedQuestion([say('Perhaps.'), ending({ support: 'unsure', confidence: 0.4 })]))
  await expect(lists.nth(1).getByRole('link')).toHaveText([`${SECTION.page}: ${SECTION.title}`])
  await chat.type(await scriptedQuestion([say('Surely.'), ending({ support: 'likely' })]))
  await expect(chat.answers.last()).toContainText('Surely.')
  await expect(lists).toHaveCount(2)
})

test('an ephemeral chat keeps nothing of what was searched, asked by a link or chosen', async ({ page, context }) => {
  await tellSections(page, [SECTION])
  const question = await scriptedQuestion([say('Yes.'), ending()])
  const chat = await Chat.withTag(page, { ask: question })
  await expect(chat.answers).toContainText('Yes.')
  await page.keyboard.press('Control+k')
  await box(page).fill('who')
  await options(page).filter({ hasText: SECTION.title }).click()
  const kept = await page.evaluate(() => [...Object.keys(localStorage), ...Object.keys(sessionStorage)])
  expect(kept).toEqual([])
  expect(await context.cookies()).toEqual([])
  expect(page.url()).not.toContain('question')
})
