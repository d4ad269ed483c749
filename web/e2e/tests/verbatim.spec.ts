/** What a reader is shown is what the book's page shows: code, tables, lists and formulas, character by character. */
import { expect, type Page, test } from '@playwright/test'
import { server, site } from '../addresses.mjs'
import { Chat, type Citation, type Host } from './chat'
import { missingFrom, type Seen, seenIn } from './seen'

/** A question and the kinds of blocks that its answer is known to have. */
const QUESTIONS: [string, ...(keyof Seen)[]][] = [
  ['which gazebo version goes with ros 2 jazzy', 'code'],
  ['writing IK for a planar arm with two segments, how can my script notice that the goal is too far away?', 'code'],
  ['how many joint types does urdf have', 'tables'],
  ['friction coefficient of rubber on dry concrete', 'tables'],
  ['best effort publisher + reliable subscriber = no messages, why?', 'lists'],
  ['do i need to own a robot to follow this book?', 'lists'],
  ['how do i get the joint torques from a force at the tip', 'formulas', 'prose'],
  ['why is semi-implicit euler better than explicit euler', 'formulas'],
  ['in which order do ros messages store a quaternion', 'prose'],
  ['how high does a ball with restitution 0.8 bounce when dropped from 1 m', 'prose'],
]

/** The page that a citation leads to, as its own site shows it. */
async function pageOf(host: Host, chat: Chat, citation: Citation): Promise<Seen> {
  const page = await chat.page.context().newPage()
  try {
    if (host === 'the Docusaurus site') {
      await page.goto(site + citation.url.replace(/#.*/, ''))
      return await seenIn(page.locator('article'))
    }
    await page.goto(`${server}/?mode=ephemeral#/read/${citation.chapter}`)
    await page.locator('article.chapter section').first().waitFor()
    await drawnFormulas(page)
    return await seenIn(page.locator('article.chapter'))
  } finally {
    await page.close()
  }
}

/** Formulas are drawn when their program has come; until then they stand as their source. */
async function drawnFormulas(page: Page): Promise<void> {
  await expect(page.locator('.cb-formula-source')).toHaveCount(0)
}

function together(pages: Seen[]): Seen {
  return {
    code: pages.flatMap(({ code }) => code),
    tables: pages.flatMap(({ tables }) => tables),
    formulas: pages.flatMap(({ formulas }) => formulas),
    lists: pages.flatMap(({ lists }) => lists),
    prose: pages.flatMap(({ prose }) => prose),
  }
}

/** Everything seen as it should stand in a text that was copied. */
function copiedForms({ code, tables, formulas }: Seen): string[] {
  const rows = tables.flatMap((table) => table.map((cells) => cells.join('\t')))
  return [...code, ...rows, ...formulas.map((tex) => `$$\n${tex}\n$$`)]
}

for (const host of ['the Docusaurus site', 'the served page'] as const) {
  test.describe(`on ${host}, an answer, its excerpts and its copy are the page's own`, () => {
    for (const [question, ...kinds] of QUESTIONS) {
      test(question, async ({ page, context }) => {
        await context.grantPermissions(['clipboard-read', 'clipboard-write'])
        const chat = await (await Chat.on(host, page)).open()
        const { citations } = await chat.ask(question)
        await drawnFormulas(page)
        const answer = chat.answers.last()
        const shown = await seenIn(answer.locator('.cb-rendered').first())
        for (const kind of kinds) expect(shown[kind], `the answer has ${kind}`).not.toEqual([])
        const book = together(await Promise.all(citations.map((citation) => pageOf(host, chat, citation))))
        expect(missingFrom(book, shown)).toEqual([])

        await chat.chips.first().hover()
        await drawnFormulas(page)
        const excerpt = await seenIn(page.locator('.cb-popover'))
        expect(missingFrom(book, { ...excerpt, prose: excerpt.prose.slice(1) })).toEqual([])
        for (const kind of ['code', 'tables', 'formulas'] as const)
          for (const block of excerpt[kind]) expect(shown[kind]).toContainEqual(block)

        await page.mouse.move(5, 5)
        await expect(page.locator('.cb-popover')).toHaveCount(0)
        await answer.getByRole('button', { name: 'Copy answer' }).click()
        const copied = await page.evaluate(() => navigator.clipboard.readText())
        for (const form of copiedForms(shown)) expect(copied).toContain(form)
      })
    }
  })
}
