/** A reader asks, watches the answer arrive, clicks a citation and lands on the cited sentence: 60 times at each size of window. */
import { expect, type Page, test } from '@playwright/test'
import { server, site } from '../addresses.mjs'
import { CLICKS } from '../runReport.mjs'
import { Chat, type Citation, HOSTS, type Host } from './chat'
import { faultsOf } from './landing'
import { questions } from './questions'

const CLICKS_A_HOST = 20
/** Some are refused. */
const MOST_QUESTIONS = 24
const SIZES = [
  { width: 1280, height: 800 },
  { width: 1024, height: 700 },
  { width: 390, height: 844 },
]

for (const size of SIZES) {
  for (const host of HOSTS) {
    test(`on ${host}, ${size.width} × ${size.height}, ${CLICKS_A_HOST} citations lead to their marked sentences`, async ({
      page,
    }, info) => {
      test.setTimeout(900_000)
      await page.setViewportSize(size)
      const chat = await Chat.on(host, page)
      const faults: Record<string, string[]> = {}
      let clicks = 0
      for (const { question } of questions(MOST_QUESTIONS)) {
        if (clicks === CLICKS_A_HOST) break
        const found = await faultsOfClick(host, chat, question, clicks % 2 ? 'last' : 'first')
        if (found) clicks += 1
        if (found?.length) faults[question] = found
      }
      info.annotations.push({ type: CLICKS, description: `${clicks - Object.keys(faults).length} of ${clicks}` })
      expect(clicks).toBe(CLICKS_A_HOST)
      expect(faults).toEqual({})
    })
  }
}

/** Asks, and follows the answer's first citation or its last; null where the book does not answer. */
async function faultsOfClick(
  host: Host,
  chat: Chat,
  question: string,
  which: 'first' | 'last',
): Promise<string[] | null> {
  const { page } = chat
  await chat.turnTo()
  const { outcome, frames, citations } = await chat.ask(question)
  if (outcome !== 'answered') return null
  expect(frames, 'the answer came in pieces').toBeGreaterThan(1)
  const chip = chat.answers.last().locator('a.cb-chip')[which]()
  const citation = citations[Number(await chip.textContent()) - 1]!
  const before = new URL(page.url())
  // The mark of the click before is not this one's.
  await page.evaluate(() => CSS.highlights.clear())
  await chip.click()
  await expect(page).toHaveURL(await addressOf(host, page, citation))
  const hasLoaded = host === 'a page with the script tag' && new URL(page.url()).pathname !== before.pathname
  const staysOpen = before.searchParams.get('mode') !== 'ephemeral' && page.viewportSize()!.width >= 768
  return faultsOf({ host, chat, citation, isMarkedByBrowser: hasLoaded && !staysOpen })
}

/** Of the page that is cited. */
async function addressOf(host: Host, page: Page, { url }: Citation): Promise<(url: URL) => boolean> {
  const cited = url.replace(/#.*$/, '')
  if (host !== 'the served page') return ({ pathname }) => withoutSlash(pathname) === withoutSlash(cited)
  const contents = (await (await page.request.get(`${server}/book/contents`)).json()) as {
    chapters: { id: string; url: string }[]
  }
  const chapter = contents.chapters.find((each) => each.url === cited)!.id
  return ({ hash }) => decodeURIComponent(hash.split('?')[0]!) === `#/read/${chapter}`
}

function withoutSlash(path: string): string {
  return path.replace(/\/$/, '')
}

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
