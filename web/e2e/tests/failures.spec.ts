/** What a reader sees when things go wrong, and that the conversation outlives it. */
import { expect, test } from '@playwright/test'
import { Chat } from './chat'
import { ending, say, scriptedQuestion, whatBecameOf } from './scripted'

const BUSY = {
  status: 503,
  body: { error: 'SERVICE_UNAVAILABLE', message: 'The book cannot be searched right now.' },
}

test('a server that is down is said so, and the question is kept for another try', async ({ page }) => {
  const chat = await (await Chat.withTag(page)).open()
  await page.route('**/api/ask/stream', (route) => route.abort('connectionrefused'))
  await chat.type('Is anybody there?')
  await expect(chat.failure).toContainText('The server cannot be reached')
  await expect(chat.failure.getByRole('button', { name: 'Try again' })).toBeEnabled()
  await expect(chat.questions).toHaveText('Is anybody there?')
})

test('trying again after a 503 answers the same question and keeps what was said before', async ({ page }) => {
  const chat = await (await Chat.withTag(page)).open()
  await chat.type(await scriptedQuestion([say('The first answer.'), ending()]))
  await expect(chat.answers).toHaveCount(1)
  await chat.type(await scriptedQuestion([BUSY], [say('The second answer.'), ending()]))
  await expect(chat.failure).toContainText('The book cannot be searched right now.')
  await chat.failure.getByRole('button', { name: 'Try again' }).click()
  await expect(chat.answers).toHaveText([/The first answer\./, /The second answer\./])
  await expect(chat.questions).toHaveCount(2)
  await expect(chat.failure).toBeHidden()
})

for (const mode of ['ephemeral', 'persistent']) {
  test(`while the index is down a chat that is ${mode} offers frequent questions, with the way into the book`, async ({
    page,
  }) => {
    const faq = [
      { question: 'What is a gear?', answer: 'A wheel with <b>teeth</b>.', url: '/docs/#who-this-book-is-for' },
      { question: 'Who asks?', answer: 'Nobody.', url: 'http://attacker.example/' },
    ]
    const message = 'The book cannot be searched right now.'
    const body =
      mode === 'persistent'
        ? { error: { code: 'VECTOR_STORE_UNAVAILABLE', message, fallbackFaq: faq } }
        : { error: 'SERVICE_UNAVAILABLE', message, details: { fallback_faq: faq } }
    const chat = await (await Chat.withTag(page, { mode })).open()
    await chat.type(await scriptedQuestion([{ status: 503, body }], [say('It is back.'), ending()]))
    const questions = page.getByRole('region', { name: 'Frequent questions' })
    await questions.getByText('What is a gear?').click()
    await expect(questions).toContainText('A wheel with <b>teeth</b>.')
    await expect(questions.getByRole('link')).toHaveCount(1)
    await chat.failure.getByRole('button', { name: 'Try again' }).click()
    await expect(chat.answers).toContainText('It is back.')
    await expect(questions).toBeHidden()
  })
}

test('a stream that is cut off in the middle is not shown as an answer', async ({ page }) => {
  const chat = await (await Chat.withTag(page)).open()
  await chat.type(
    await scriptedQuestion([say('Half of '), { wait: 100 }, { cut: true }], [say('All of it.'), ending()]),
  )
  await expect(chat.failure).toContainText('The connection was lost before the answer was complete.')
  await expect(chat.answers).toHaveCount(0)
  await chat.failure.getByRole('button', { name: 'Try again' }).click()
  await expect(chat.answers).toContainText('All of it.')
})

test('a stored conversation keeps what had come when the stream was cut off, and marks it', async ({ page }) => {
  const chat = await (await Chat.withTag(page, { mode: 'persistent' })).open()
  await chat.type(await scriptedQuestion([say('Half of it.'), { wait: 1000 }, { cut: true }]))
  await expect(chat.answers).toContainText('Half of it.')
  await expect(chat.answers).toContainText('This answer is incomplete.')
})

test('an error that the server tells in the middle of a stream is shown in its words', async ({ page }) => {
  const chat = await (await Chat.withTag(page)).open()
  await chat.type(
    await scriptedQuestion([
      say('Half '),
      { frame: { content: '', done: true, error: 'The answer took too long.' } },
    ]),
  )
  await expect(chat.failure).toContainText('The answer took too long.')
})

test('too many questions: the time to wait counts down, and then one can ask again', async ({ page }) => {
  const chat = await (await Chat.withTag(page)).open()
  const limited = {
    status: 429,
    headers: { 'Retry-After': '3' },
    body: { error: 'RATE_LIMIT_EXCEEDED', message: 'Slow down.' },
  }
  await chat.type(await scriptedQuestion([limited], [say('Here it is.'), ending()]))
  await expect(chat.failure.getByRole('timer')).toHaveText(/You can ask again in [123] s\./)
  await chat.input.fill('Another question')
  await expect(chat.send).toBeDisabled()
  await expect(chat.failure).toContainText('You can ask again now.')
  await expect(chat.send).toBeEnabled()
  await chat.failure.getByRole('button', { name: 'Try again' }).click()
  await expect(chat.answers).toContainText('Here it is.')
})

test('while the first words take their time, the reader sees that the book is searched and can stop it', async ({
  page,
}) => {
  const chat = await (await Chat.withTag(page)).open()
  const question = await scriptedQuestion([{ raw: ': waiting\n\n' }, { wait: 30_000 }, ending()])
  await chat.type(question)
  await expect(chat.answers).toContainText('Searching the book…')
  await page.getByRole('button', { name: 'Stop the answer' }).click()
  await expect(chat.answers).toHaveCount(0)
  await expect.poll(async () => (await whatBecameOf(question)).left).toBe(true)
  await expect(chat.input).toBeEnabled()
})

test('closing the chat while an answer streams ends it, and the server notices', async ({ page }) => {
  const chat = await (await Chat.withTag(page)).open()
  const question = await scriptedQuestion([say('It begins.'), { wait: 30_000 }, ending()])
  await chat.type(question)
  await expect(chat.answers).toContainText('It begins.')
  await page.keyboard.press('Escape')
  await expect.poll(async () => (await whatBecameOf(question)).left).toBe(true)
})

test('only one answer streams at a time', async ({ page }) => {
  const chat = await (await Chat.withTag(page)).open()
  const second = await scriptedQuestion([say('Second.'), ending()])
  await chat.type(await scriptedQuestion([say('First.'), { wait: 30_000 }, ending()]))
  await expect(chat.answers).toContainText('First.')
  await chat.type(second)
  await page.waitForTimeout(300)
  expect((await whatBecameOf(second)).asked).toBe(0)
  await expect(chat.input).toHaveValue(second)
})

test('a panel that cannot be loaded leaves the button, which tries again when it is pressed', async ({ page }) => {
  await page.route('**/widget-panel.js', (route) => route.abort(), { times: 1 })
  const chat = await Chat.withTag(page)
  await chat.launcher.click()
  await expect(chat.launcher).toHaveAttribute('title', /could not be loaded/)
  await chat.open()
})

for (const frames of [
  '\ufeff\r\n\r\ndata: {"content":"One. ","done":false}\r\n\r\n',
  'event: x\nid: 1\nretry: 1\ndata: {"content":"One. ","done":false}\n\n',
  'data: not JSON\n\ndata: []\n\ndata: null\n\ndata: {"content":"One. ","done":false}\n\n',
]) {
  test(`frames that no server of ours sends do no harm: ${JSON.stringify(frames).slice(0, 40)}`, async ({ page }) => {
    const chat = await (await Chat.withTag(page)).open()
    await chat.type(await scriptedQuestion([{ raw: frames }, { text: 'Two.' }, ending()]))
    await expect(chat.answers).toContainText('One. Two.')
  })
}
