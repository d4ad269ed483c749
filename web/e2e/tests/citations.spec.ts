/** A reader asks, watches the answer arrive, clicks the first citation and lands on the cited sentence. */
import { expect, type Page, test } from '@playwright/test'
import { site } from '../addresses.mjs'
import { type Answer, Chat, type Host, markedText, untilScrollingEnds, wordsOf } from './chat'
import { questions } from './questions'

const MARK = 'rgb(255, 226, 122)'

async function expectMarked(chat: Chat, answer: Answer): Promise<void> {
  const marked = await markedText(chat.page)
  const quote = answer.citations[0]!.place.text
  expect.soft(marked.background).toBe(MARK)
  expect.soft(marked.isInView, 'the sentence is in the viewport').toBe(true)
  expect.soft(marked.isUncovered, 'nothing lies over the sentence').toBe(true)
  expect(lettersOf(marked.text)).toBe(lettersOf(withoutMarkers(quote)))
  expect(marked.before.trim(), 'it begins where a sentence or a block does').toMatch(/^$|[.!?:…”")]$/)
  const ending = marked.after.trim() ? marked.text.trim() : '.'
  expect(ending, 'it ends where a sentence or a block does').toMatch(/[.!?:…”")]$/)
}

/** Letters and digits alone: the page and the quote set their spaces, cells and formulas apart in different ways. */
function lettersOf(text: string): string {
  return wordsOf(text).join('')
}

/** The page draws the numbers and dots of lists itself. */
function withoutMarkers(excerpt: string): string {
  return excerpt.replace(/^\s*(?:\d+[.)]|[-*•])\s+/gm, '')
}

async function askAndFollow(host: Host, chat: Chat, question: string): Promise<Answer> {
  await chat.open()
  const answer = await chat.ask(question)
  expect(answer.outcome).toBe('answered')
  expect(answer.frames, 'the answer came in pieces').toBeGreaterThan(1)
  await expect(chat.answers.last()).toContainText(wordsOf(answer.text)[0]!, { ignoreCase: true })
  await chat.chips.first().click()
  if (host !== 'the served page')
    await expect(chat.page).toHaveURL((url) => samePage(url.pathname, answer.citations[0]!.url))
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

test('with the script tag, a citation of the same page is marked there, and the chat stays open', async ({
  page,
}) => {
  const host = 'a page with the script tag'
  const chat = await Chat.on(host, page)
  const answer = await askAndFollow(host, chat, 'do i need to own a robot to follow this book?')
  await expectMarked(chat, answer)
  await expect(chat.answers).toHaveCount(1)
})

test('on the Docusaurus site, a citation of a PDF opens the PDF at its page', async ({ page, request }) => {
  const chat = await (await Chat.on('the Docusaurus site', page)).open()
  const { citations } = await chat.ask('glossary: what is gimbal lock')
  const number = citations.findIndex(({ url }) => url.includes('.pdf#page='))
  expect(number).toBeGreaterThanOrEqual(0)
  const opened = page.waitForRequest((asked) => asked.isNavigationRequest() && asked.url().includes('.pdf'))
  await chat.chips.nth(number).click()
  const { url } = citations[number]!
  expect((await opened).url()).toContain(url.split('#')[0])
  expect((await request.get(new URL(url, site).href)).status()).toBe(200)
})

/** Chromium marks what a text fragment names by itself, and tells no script; its mark is seen in a picture alone. */
async function browserMarks(page: Page, words: string[]): Promise<boolean> {
  const place = await page.evaluate((sought) => {
    const walker = document.createTreeWalker(document.querySelector('main')!, NodeFilter.SHOW_TEXT)
    const nodes: Text[] = []
    while (walker.nextNode()) nodes.push(walker.currentNode as Text)
    const text = nodes.map((node) => node.data).join('')
    const start = new RegExp(sought.join('[^\\p{L}\\p{N}]+'), 'iu').exec(text)?.index ?? -1
    let before = 0
    const node = nodes.find((each) => {
      before += each.length
      return before > start
    })
    if (start < 0 || !node) return null
    const range = document.createRange()
    range.setStart(node, start - (before - node.length))
    range.setEnd(node, Math.min(node.length, start - (before - node.length) + sought[0]!.length))
    const { x, y, width, height } = range.getBoundingClientRect()
    return y > 0 && y + height < innerHeight ? { x, y, width, height } : null
  }, words)
  if (!place) return false
  const picture = (await page.screenshot({ clip: place })).toString('base64')
  return page.evaluate(async (data) => {
    const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0))
    const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
    const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d')!
    canvas.drawImage(image, 0, 0)
    const { data: pixels } = canvas.getImageData(0, 0, image.width, image.height)
    let marked = 0
    for (let index = 0; index < pixels.length; index += 4) {
      if (pixels[index] === 0xe9 && pixels[index + 1] === 0xd2 && pixels[index + 2] === 0xfd) marked += 1
    }
    return marked > pixels.length / 4 / 3
  }, picture)
}

test.describe('with the script tag, the browser itself marks the first citation on another page', () => {
  for (const { id, question } of questions(12)
    .filter(({ gold_file: file }) => !file.endsWith('about-this-book.mdx'))
    .slice(0, 6)) {
    test(`${id}: ${question}`, async ({ page }) => {
      const host = 'a page with the script tag'
      const chat = await Chat.on(host, page)
      await chat.open()
      const { citations } = await chat.ask(question)
      const address = await chat.chips.first().getAttribute('href')
      const named = decodeURIComponent(/:~:text=([^,&]*)/.exec(address ?? '')?.[1] ?? '')
      expect(citations[0]!.excerpt.replace(/\s+/g, ' ')).toContain(named)
      await chat.chips.first().click()
      await page.waitForURL((url) => samePage(url.pathname, citations[0]!.url))
      await untilScrollingEnds(page)
      expect(await browserMarks(page, wordsOf(named))).toBe(true)
    })
  }
})
