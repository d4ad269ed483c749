/** Questions to begin and to go on with, and the page alone, in every mode. */
import { expect, type Page, test } from '@playwright/test'
import { server } from '../addresses.mjs'
import { Chat } from './chat'
import { CITATION, ending, say, scriptedQuestion, whatBecameOf } from './scripted'

const FIRST = ['What is physical AI?', 'Who is this book for?', 'Do I need a robot?']

/** The questions that the book answers: those of the page, and `next` after an answer. */
async function tellQuestions(page: Page, next: string): Promise<URLSearchParams[]> {
  const asked: URLSearchParams[] = []
  await page.route('**/api/questions?*', (route) => {
    const about = new URL(route.request().url()).searchParams
    asked.push(about)
    const questions = (about.has('after') ? [next] : FIRST).map((question) => ({ question, url: '', section: '' }))
    return route.fulfill({ json: { questions }, headers: { 'Access-Control-Allow-Origin': '*' } })
  })
  return asked
}

/** A page of the scripted book: its contents name this path. */
const PAGE = '/docs/one'

for (const mode of ['tab', 'ephemeral', 'persistent']) {
  test(`in ${mode} mode, questions of this page lead to an answer, and that to the next`, async ({ page }) => {
    const next = await scriptedQuestion([say('The next answer.'), ending()])
    const asked = await tellQuestions(page, next)
    const chat = await (await Chat.withTag(page, { mode }, PAGE)).open()
    await expect(page.getByRole('list', { name: 'Example questions' }).getByRole('button')).toHaveText(FIRST)
    expect(asked.at(-1)!.get('page')).toBe('one')
    await chat.type(
      await scriptedQuestion([say('An answer.', 1), ending({ citations: [CITATION], sources: [CITATION] })]),
    )
    await page
      .getByRole('navigation', { name: 'Questions to go on with' })
      .getByRole('button', { name: next })
      .click()
    await expect(chat.answers.last()).toContainText('The next answer.')
    expect(asked.at(-1)!.get('after')).toBe(CITATION.url)
    await expect(page.locator('.cb-go-on')).toHaveCount(0)
  })

  test(`in ${mode} mode, this page alone is asked about until the reader takes that back`, async ({ page }) => {
    const question = await scriptedQuestion([say('An answer.'), ending()])
    const chat = await (await Chat.withTag(page, { mode }, PAGE)).open()
    await page.getByRole('button', { name: 'Ask about this page only' }).click()
    await expect(page.locator('.cb-filter-toggle')).toContainText('One')
    await chat.type(question)
    await expect(chat.questions).toContainText(/Only in: .One/)
    await expect(chat.answers).toContainText('An answer.')
    await page.getByRole('button', { name: 'Search the whole book again' }).click()
    await chat.type(question)
    await expect(chat.answers).toHaveCount(2)
    const { bodies } = await whatBecameOf(question)
    expect(bodies.map(({ scope }) => scope)).toEqual([{ chapter_id: 'one' }, undefined])
  })
}

test('the served page knows the chapter that is open', async ({ page }) => {
  const asked = await tellQuestions(page, 'And then?')
  await page.goto(`${server}/?mode=ephemeral#/read/module-1-ros2/chapter-2-kinematics`)
  const chat = new Chat(page)
  await expect(page.getByRole('list', { name: 'Example questions' }).getByRole('button')).toHaveText(FIRST)
  expect(asked.at(-1)!.get('page')).toBe('module-1-ros2/chapter-2-kinematics')
  await page.locator('.cb-filter-toggle').click()
  const parts = await page.getByLabel('Part of the book').getByRole('option').allTextContents()
  expect(parts.slice(0, 2)).toEqual(['Whole book', 'This page: \u2068Kinematics: Where Is My Hand?\u2069'])
  expect(parts.filter((part) => part.startsWith('This part:'))).toHaveLength(1)
  await expect(chat.input).toBeVisible()
})

test('a server that knows no such questions is not asked twice, and nothing is missing', async ({ page }) => {
  let asked = 0
  await page.route('**/api/questions?*', (route) => {
    asked += 1
    return route.fulfill({ status: 404, json: {}, headers: { 'Access-Control-Allow-Origin': '*' } })
  })
  const chat = await (await Chat.withTag(page)).open()
  await chat.type(await scriptedQuestion([say('An answer.', 1), ending({ citations: [CITATION] })]))
  await expect(chat.answers).toHaveAttribute('aria-busy', 'false')
  await expect(chat.answers).toContainText('An answer.')
  expect(asked).toBe(1)
})
