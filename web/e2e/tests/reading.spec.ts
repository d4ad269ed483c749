/** Reading with the chat at hand: answers begin in view, pages print, sections are found, a site keeps its Root and colour. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, type Page, test } from '@playwright/test'
import { server, site } from '../addresses.mjs'
import { project } from '../folders.mjs'
import { Chat } from './chat'

const LONG = 'how do i get the joint torques from a force at the tip'

for (const host of ['the Docusaurus site', 'the served page'] as const) {
  test(`on ${host}, a long answer is read from its start: its question stays at the top`, async ({ page }) => {
    const chat = await (await Chat.on(host, page)).open()
    await chat.ask('what is gimbal lock')
    await chat.ask(LONG)
    const list = (await page.locator('.cb-conversation').boundingBox())!
    const question = (await chat.questions.last().boundingBox())!
    expect(question.y - list.y).toBeGreaterThanOrEqual(0)
    expect(question.y - list.y).toBeLessThan(40)
    const answer = (await chat.answers.last().boundingBox())!
    expect(answer.height, 'the answer is longer than the chat').toBeGreaterThan(list.height)
    await page.getByRole('button', { name: 'Jump to latest' }).click()
    await expect(chat.answers.last().locator('.cb-answer-footer')).toBeInViewport()
  })
}

async function printedText(page: Page, width: number): Promise<string> {
  await page.setViewportSize({ width, height: 800 })
  await page.emulateMedia({ media: 'print' })
  return page.locator('article.chapter').evaluate((article) => {
    const { width: printed, height } = article.getBoundingClientRect()
    return printed > 300 && height > 500
      ? (article as HTMLElement).textContent.slice(0, 40)
      : `${printed} × ${height}`
  })
}

test('the served page prints the chapter at every width', async ({ page }) => {
  await page.goto(`${server}/?mode=ephemeral`)
  await page.locator('article.chapter section').first().waitFor()
  for (const width of [390, 900, 1280, 1600]) expect(await printedText(page, width)).toContain('About this book')
  await expect(page.locator('.chat-side')).toBeHidden()
})

test('the report on how well books are answered fits a phone, and names each row however far one scrolls', async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(pathToFileURL(join(project, 'docs/figures/report.html')).href)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  const table = page.getByRole('region', { name: 'Overview' })
  await table.evaluate((element) => element.scrollTo({ left: 10_000 }))
  await expect(table.getByRole('rowheader').last()).toBeInViewport({ ratio: 1 })
})

test('"Find a chapter or section" finds sections, and leads to them', async ({ page }) => {
  await page.goto(`${server}/?mode=ephemeral`)
  await page.getByRole('searchbox').fill('jacobian')
  await page.getByRole('link', { name: 'The Jacobian' }).first().click()
  await expect(page.getByRole('heading', { level: 1, name: 'Kinematics' })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'The Jacobian' })).toBeInViewport()
})

test('a Docusaurus site keeps its own Root, and the chat has its colour', async ({ page }) => {
  await page.goto(`${site}/docs/`)
  const chat = new Chat(page)
  await expect(chat.launcher).toHaveCount(1)
  await expect(page.locator('[data-own-root]')).toHaveCount(1)
  const [own, primary] = await chat.launcher.evaluate((button) => {
    const probe = document.body.appendChild(document.createElement('i'))
    probe.style.color = 'var(--ifm-color-primary-darker)'
    return [getComputedStyle(button).backgroundColor, getComputedStyle(probe).color]
  })
  expect(own).toBe(primary)
})
