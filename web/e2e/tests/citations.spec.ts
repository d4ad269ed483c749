/** A reader asks, watches the answer arrive, clicks the first citation and lands on the cited sentence. */
import { expect, test } from '@playwright/test'
import { Chat, markedText, sharedWords, wordsOf, type Answer, type Host } from './chat'
import { questions } from './questions'

const MARK = 'rgb(255, 226, 122)'

async function expectMarked(chat: Chat, answer: Answer): Promise<void> {
  const marked = await markedText(chat.page)
  const { excerpt } = answer.citations[0]!
  expect.soft(marked.background).toBe(MARK)
  expect.soft(marked.isInView, 'the sentence is in the viewport').toBe(true)
  expect.soft(marked.isUncovered, 'nothing lies over the sentence').toBe(true)
  if (/[$\\|`]/.test(excerpt)) expect(sharedWords(marked.text, excerpt)).toBeGreaterThan(0.7)
  else expect(wordsOf(marked.text).join(' ')).toBe(wordsOf(excerpt).join(' '))
}

async function askAndFollow(host: Host, chat: Chat, question: string): Promise<Answer> {
  await chat.open()
  const answer = await chat.ask(question)
  expect(answer.outcome).toBe('answered')
  expect(answer.frames, 'the answer came in pieces').toBeGreaterThan(1)
  await expect(chat.answers.last()).toContainText(wordsOf(answer.text)[0]!, { ignoreCase: true })
  await chat.chips.first().click()
  if (host !== 'the served page') await expect(chat.page).toHaveURL((url) => samePage(url.pathname, answer.citations[0]!.url))
  return answer
}

function samePage(pathname: string, cited: string): boolean {
  return pathname.replace(/\/$/, '') === cited.replace(/[?#].*$/, '').replace(/\/$/, '')
}

for (const host of ['the Docusaurus site', 'the served page'] as const) {
  test.describe(`on ${host}, the first citation leads to its marked sentence`, () => {
    for (const { id, question } of questions(24)) {
      test(`${id}: ${question}`, async ({ page }) => {
        const chat = await Chat.on(host, page)
        const answer = await askAndFollow(host, chat, question)
        await expectMarked(chat, answer)
      })
    }
  })
}
