/** Hostile answers: no script runs, no request leaves, no foreign link can be clicked, whatever the stream is split at. */

import type { AnswerPart, Block } from '@citebook/client'
import { expect, type Page, test } from '@playwright/test'
import {
  bullets,
  code,
  everyPlace,
  formula,
  paragraph,
  part,
  quotation,
  run,
  sentence,
  table,
} from '../../packages/widget/test/blocks'
import { plain, scripted, server } from '../addresses.mjs'
import { Chat } from './chat'
import { askAll, batches, expectHarmless, guard, watch } from './harmless'
import { PAYLOADS, plantedTexts } from './payloads'
import { CITATION, ending, type Step, say, scriptedPage, scriptedQuestion } from './scripted'

const BATCH = 60

async function play(page: Page, answers: Step[][]): Promise<string[]> {
  const chat = await Chat.withTag(page)
  const seen = watch(page)
  await chat.open()
  await guard(page)
  const shown = await askAll(page, await Promise.all(answers.map((steps) => scriptedQuestion(steps))))
  await expectHarmless(page, seen)
  expect(new URL(page.url()).origin).toBe(plain)
  expect(shown).not.toContain('no answer')
  return shown
}

const citations = [CITATION]

/** The text wherever a block can have text, each block in a frame of its own, and all of them once more at the end. */
function blockByBlock(text: string): Step[] {
  const parts = everyPlace(text).map((block) => part(1, block))
  return [...parts.map((each) => ({ text, parts: [each] })), ending({ citations, parts })]
}

for (const [index, batch] of batches(PAYLOADS, BATCH).entries()) {
  test(`hostile text in every kind of block and mark (${index + 1})`, async ({ page }) => {
    const shown = await play(page, batch.map(blockByBlock))
    expect(shown).toHaveLength(batch.length)
  })

  test(`hostile answers, one character at a time (${index + 1})`, async ({ page }) => {
    const shown = await play(
      page,
      batch.map((payload) => [...[...payload].map((one) => say(one)), ending()]),
    )
    expect(shown).toHaveLength(batch.length)
  })

  test(`hostile answers in one piece, with the bytes of the stream split everywhere (${index + 1})`, async ({
    page,
  }) => {
    await play(
      page,
      batch.map((payload) => [...rawPieces(payload), ending()]),
    )
  })

  test(`hostile answers that are text alone (${index + 1})`, async ({ page }) => {
    await play(
      page,
      batch.map((payload) => [{ text: payload }, ending()]),
    )
  })
}

function rawPieces(payload: string): Step[] {
  const parts = [part(1, paragraph(run(payload, 'strong'), run(payload, 'formula')), code(payload, payload))]
  const frame = `data: ${JSON.stringify({ content: payload, done: false, parts })}\n\n`
  return batches([...frame], 3).map((piece) => ({ raw: piece.join('') }))
}

test('short attacks, split in two at every offset', async ({ page }) => {
  const short = [
    '<img src=x onerror=window.__ran=1>',
    '<a href=javascript:window.__ran=1>',
    '\\href{javascript:x}{y}',
  ]
  const answers = short.flatMap((payload) =>
    [...payload].map((_, offset) => [...halves(payload.slice(0, offset), payload.slice(offset)), ending()]),
  )
  await play(page, answers)
})

function halves(first: string, second: string): Step[] {
  const together = part(null, paragraph(run(first, 'strong'), run(second, 'formula')), code(first, second))
  return [say(first), say(second), { text: first + second, parts: [together] }]
}

test('texts that were written to be planted in documents', async ({ page }) => {
  await play(page, plantedTexts(120).map(blockByBlock))
})

test('hostile citations and suggestions make no link and no element', async ({ page }) => {
  const addresses = [
    'javascript:window.__ran=1',
    'http://attacker.example/',
    '//attacker.example/',
    'data:text/html,x',
    '\\\\attacker.example',
    'java\nscript:window.__ran=1',
    'http://[',
    'http://a@attacker.example/',
    'blob:x',
    '',
  ]
  const hostile = '<img src=x onerror=window.__ran=1>'
  const answers = addresses.map((url) => [
    say('A sentence.', 1),
    ending({
      citations: [{ ...CITATION, url, excerpt: hostile, section_title: hostile, chapter_title: hostile }],
      suggestions: [{ title: hostile, url }],
    }),
  ])
  await play(page, answers)
})

test('a frame whose fields have the wrong types does no harm', async ({ page }) => {
  const odd: unknown[] = [{}, [], 1, true, null, 'text', { toString: 1 }, [[]], [null], [{ excerpt: 1, url: {} }]]
  const fields = (value: unknown) => ({
    citations: value,
    suggestions: value,
    confidence: value,
    outcome: value,
    answer_id: value,
    parts: value,
  })
  await play(
    page,
    odd.map((value) => [say('A sentence.', 1), ending(fields(value))]),
  )
})

test('blocks whose fields have the wrong types do no harm', async ({ page }) => {
  const odd: unknown[] = [{}, [], 1, true, null, 'text', { toString: 1 }, [[]], [null], { __proto__: null }]
  const kinds = ['paragraph', 'list', 'table', 'code', 'formula', 'quotation', 'script', 'constructor', '__proto__']
  const blocksOf = (value: unknown): unknown[] =>
    [...kinds, value].map((kind) => ({
      kind,
      text: value,
      ordered: value,
      start: value,
      items: value,
      header: value,
      rows: value,
      language: value,
      blocks: value,
    }))
  const answers = odd.map((value) => [
    { text: 'A sentence.', parts: [{ blocks: blocksOf(value), citation: value }, value] as unknown as AnswerPart[] },
    ending({ citations, parts: [{ blocks: blocksOf([{ text: value, marks: value }]), citation: 1 }] }),
  ])
  await play(page, answers)
})

test('nothing in a hostile answer can be clicked to leave the book', async ({ page }) => {
  const chat = await (await Chat.withTag(page)).open()
  const seen = watch(page)
  await guard(page)
  const links = PAYLOADS.filter((payload) => /href|\]\(|\]:|attacker/.test(payload)).slice(0, 60)
  await chat.type(
    await scriptedQuestion([
      ...links.map((link) => ({ text: link, parts: [part(null, ...everyPlace(link))] })),
      ending(),
    ]),
  )
  await expect(chat.answers).toHaveAttribute('aria-busy', 'false')
  const before = page.url()
  await page.evaluate(() => {
    const answer = document.querySelector('citebook-chat')!.shadowRoot!.querySelector('.cb-rendered')!
    for (const element of answer.querySelectorAll<HTMLElement>('*:not(button)')) element.click?.()
  })
  await page.waitForTimeout(300)
  expect(page.url()).toBe(before)
  expect(page.context().pages()).toHaveLength(1)
  await expectHarmless(page, seen)
})

const many = <Item>(count: number, item: Item): Item[] => Array.from({ length: count }, () => item)
const deepQuotation = (depth: number): Block =>
  many(depth, 0).reduce<Block>((inner) => quotation(inner), paragraph('x'))

/** Each about a megabyte on the wire, in ten pieces. */
const MEGABYTES: Record<string, AnswerPart[]> = {
  'one word': many(10, sentence('x'.repeat(100_000))),
  'sentences with a source': many(10_000, sentence('A.', 1)),
  'bold letters': many(10, part(null, paragraph(...many(3_000, run('x', 'strong'))))),
  'rows of a table': many(10, part(1, table(['a'], ...many(2_500, ['x'])))),
  'items of a list': many(10, part(1, bullets(...many(1_200, [paragraph('x')])))),
  'lines of code': many(10, part(1, code('python', 'x = 1\n'.repeat(15_000)))),
  formulas: many(10, part(1, ...many(2_000, formula('x^2')))),
  'quotations in quotations': many(100, part(1, deepQuotation(300))),
}

for (const [name, parts] of Object.entries(MEGABYTES)) {
  test(`an answer of one megabyte of ${name} is shown and the page still answers`, async ({ page }) => {
    const chat = await (await Chat.withTag(page)).open()
    const seen = watch(page)
    await guard(page)
    const pieces = batches(parts, Math.ceil(parts.length / 10)).map((piece) => ({ text: 'A piece. ', parts: piece }))
    await chat.type(await scriptedQuestion([...pieces, ending({ citations })]))
    await expect(chat.answers).toHaveAttribute('aria-busy', 'false', { timeout: 240_000 })
    await chat.input.fill('still here')
    await expect(chat.input).toHaveValue('still here')
    await expectHarmless(page, seen)
  })
}

test('a hostile book on the served page makes no element of its own', async ({ page }) => {
  const seen = watch(page)
  const blocks = PAYLOADS.flatMap(everyPlace)
  const section = { id: 'one', title: '<img src=x onerror=window.__ran=1>', level: 2, blocks }
  await scriptedPage({
    id: 'one',
    title: '<script>window.__ran=1</script>',
    url: 'javascript:window.__ran=1',
    module: null,
    module_title: '<b onclick=1>',
    sections: [section],
    previous: null,
    next: null,
  })
  await page.goto(`${scripted}/`)
  await expect(page.locator('.chapter h1')).toContainText('<script>')
  await guard(page)
  await page.reload()
  await expect(page.locator('.chapter h1')).toContainText('<script>')
  const foreign = await page
    .locator('.chapter a')
    .evaluateAll((links) =>
      links.map((link) => (link as HTMLAnchorElement).href).filter((href) => !href.startsWith(location.origin)),
    )
  expect(foreign).toEqual([])
  expect(
    await page.locator('.chapter').locator('script, img, iframe, style, object, form, [onclick], [onerror]').count(),
  ).toBe(0)
  expect(await page.evaluate(() => '__ran' in window)).toBe(false)
  expect(seen.foreign).toEqual([])
})

test('the served page forbids script and requests from elsewhere by its policy', async ({ page }) => {
  const response = await page.goto(`${server}/`)
  const policy = response!.headers()['content-security-policy']
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("script-src 'self'")
  expect(policy).toContain("connect-src 'self'")
})
