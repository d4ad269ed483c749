/** Hostile answers: no script runs, no request leaves, no foreign link can be clicked, whatever the stream is split at. */
import { expect, type Page, test } from '@playwright/test'
import { plain, scripted, server } from '../places.mjs'
import { Chat } from './chat'
import { PAYLOADS, plantedTexts, VARIANTS } from './payloads'
import { CITATION, ending, type Step, scriptedPage, scriptedQuestion } from './scripted'

const BATCH = 60

interface Watch {
  /** Requests to anyone but the servers of these tests. */
  foreign: string[]
  dialogs: string[]
}

function watch(page: Page): Watch {
  const seen: Watch = { foreign: [], dialogs: [] }
  const own = [plain, scripted, server]
  page.on('request', (request) => {
    if (!own.some((address) => request.url().startsWith(`${address}/`))) seen.foreign.push(request.url())
  })
  page.on('dialog', (dialog) => {
    seen.dialogs.push(dialog.message())
    void dialog.dismiss()
  })
  return seen
}

/** Looks at each state that the chat's elements pass through, also those that a reader never sees. */
async function guard(page: Page): Promise<void> {
  await page.evaluate(() => {
    const found: string[] = []
    const forbidden =
      'script, style, link, iframe, frame, object, embed, img, picture, video, audio, base, meta, form:not(.cb-composer, .cb-feedback), ' +
      'input:not([type=checkbox]), svg:not(.cb-icon, .cb-launcher svg), foreignObject, template, dialog, area'
    const isForbidden = (name: string, value: string): boolean =>
      name.startsWith('on') ||
      /^(src|srcset|srcdoc|action|formaction|background|ping|poster|xlink:href)$/.test(name) ||
      /^\s*(javascript|data|vbscript|file):/i.test(value) ||
      (name === 'href' && new URL(value, location.href).origin !== location.origin) ||
      (name === 'style' && /url|expression|import/i.test(value))
    const check = (element: Element): void => {
      if (element.matches(forbidden)) found.push(element.outerHTML.slice(0, 200))
      const attributes = [...element.attributes].filter(({ name, value }) => isForbidden(name, value))
      found.push(...attributes.map(({ name, value }) => `${name}=${value}`))
    }
    const root: ParentNode & Node =
      document.querySelector('citebook-chat')?.shadowRoot ?? document.querySelector('#app')!
    new MutationObserver((records) => {
      const added = records.flatMap(({ addedNodes }) => [...addedNodes]).filter((node) => node instanceof Element)
      const changed = records.map(({ target }) => target).filter((node) => node instanceof Element)
      for (const element of [...changed, ...added.flatMap((one) => [one, ...one.querySelectorAll('*')])])
        check(element)
    }).observe(root, { subtree: true, childList: true, attributes: true })
    Object.assign(window, { __found: found })
  })
}

async function expectHarmless(page: Page, seen: Watch): Promise<void> {
  expect(await page.evaluate(() => (window as unknown as { __found: string[] }).__found)).toEqual([])
  expect(await page.evaluate(() => '__ran' in window)).toBe(false)
  expect(seen).toEqual({ foreign: [], dialogs: [] })
}

/** Asks each question in a chat of its own and gives back what the reader saw in the end. */
async function askAll(page: Page, questions: string[]): Promise<string[]> {
  return page.evaluate(async (names) => {
    const root = document.querySelector('citebook-chat')!.shadowRoot!
    const shown: string[] = []
    for (const name of names) {
      await window.Citebook!.ask(name)
      await new Promise<void>((resolve, reject) => {
        const late = setTimeout(
          () => reject(new Error(`no end of ${name}: ${root.textContent?.slice(0, 300)}`)),
          20_000,
        )
        const look = (): void => {
          if (!root.querySelector('.cb-answer[aria-busy=false], .cb-failure')) return void setTimeout(look, 4)
          clearTimeout(late)
          resolve()
        }
        look()
      })
      shown.push(root.querySelector('.cb-answer')?.textContent ?? 'no answer')
      window.Citebook!.close()
    }
    return shown
  }, questions)
}

function batches<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  )
}

const pieces = (text: string): Step[] => [...text].map((character) => ({ text: character }))

async function play(page: Page, answers: Step[][]): Promise<string[]> {
  const chat = await Chat.withTag(page)
  const seen = watch(page)
  await chat.open()
  await guard(page)
  const shown = await askAll(page, await Promise.all(answers.map((steps) => scriptedQuestion(steps))))
  await expectHarmless(page, seen)
  expect(new URL(page.url()).origin).toBe(plain)
  return shown
}

for (const [index, batch] of batches(VARIANTS, BATCH).entries()) {
  test(`hostile answers, one character at a time (${index + 1})`, async ({ page }) => {
    const citations = [CITATION, CITATION]
    const shown = await play(
      page,
      batch.map((payload) => [...pieces(payload), ending({ citations })]),
    )
    expect(shown).toHaveLength(batch.length)
    expect(shown).not.toContain('no answer')
  })
}

for (const [index, batch] of batches(PAYLOADS, BATCH).entries()) {
  test(`hostile answers in one piece, with the bytes of the stream split everywhere (${index + 1})`, async ({
    page,
  }) => {
    await play(
      page,
      batch.map((payload) => [...rawPieces(payload), ending()]),
    )
  })
}

function rawPieces(payload: string): Step[] {
  const frame = `data: ${JSON.stringify({ content: payload, done: false })}\n\n`
  return batches([...frame], 3).map((part) => ({ raw: part.join('') }))
}

test('short attacks, split in two at every offset', async ({ page }) => {
  const short = [
    '<img src=x onerror=window.__ran=1>',
    '[a](javascript:window.__ran=1)',
    '![a](http://attacker.example)',
  ]
  const answers = short.flatMap((payload) =>
    [...payload].map((_, offset) => [{ text: payload.slice(0, offset) }, { text: payload.slice(offset) }, ending()]),
  )
  await play(page, answers)
})

test('texts that were written to be planted in documents', async ({ page }) => {
  const planted = plantedTexts(120)
  test.skip(planted.length === 0, 'CITEBOOK_INJECTION_DATA names no file')
  await play(
    page,
    planted.map((payload) => [{ text: payload }, ending()]),
  )
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
    { text: 'A sentence. [1]' },
    ending({
      citations: [{ ...CITATION, url, excerpt: hostile, section_title: hostile, chapter_title: hostile }],
      suggestions: [{ title: hostile, url }],
    }),
  ])
  await play(page, answers)
})

test('a frame whose fields have the wrong types does no harm', async ({ page }) => {
  const odd: unknown[] = [{}, [], 1, true, null, 'text', { toString: 1 }, [[]], [null], [{ excerpt: 1, url: {} }]]
  await play(
    page,
    odd.map((value) => [
      { text: 'A sentence. [1]' },
      ending({ citations: value, suggestions: value, confidence: value, outcome: value, answer_id: value }),
    ]),
  )
})

test('nothing in a hostile answer can be clicked to leave the book', async ({ page }) => {
  const chat = await (await Chat.withTag(page)).open()
  const seen = watch(page)
  await guard(page)
  const links = PAYLOADS.filter((payload) => /href|\]\(|\]:|attacker/.test(payload)).slice(0, 60)
  await chat.type(await scriptedQuestion([{ text: links.join('\n\n') }, ending()]))
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

for (const [name, unit] of Object.entries({
  words: 'word ',
  brackets: '[',
  stars: '**a',
  links: '[a](javascript:window.__ran=1) ',
  tables: '|a',
  quotes: '> ',
  lists: '- a\n',
  formulas: '$x$ ',
})) {
  test(`an answer of one megabyte of ${name} is shown and the page still answers`, async ({ page }) => {
    const chat = await (await Chat.withTag(page)).open()
    const seen = watch(page)
    await guard(page)
    const text = unit.repeat(Math.ceil(1_000_000 / unit.length))
    await chat.type(
      await scriptedQuestion([...batches([...text], 100_000).map((part) => ({ text: part.join('') })), ending()]),
    )
    await expect(chat.answers).toHaveAttribute('aria-busy', 'false', { timeout: 50_000 })
    await chat.input.fill('still here')
    await expect(chat.input).toHaveValue('still here')
    await expectHarmless(page, seen)
  })
}

test('a hostile book on the served page makes no element of its own', async ({ page }) => {
  const seen = watch(page)
  const markdown = PAYLOADS.join('\n\n')
  const section = { id: 'one', title: '<img src=x onerror=window.__ran=1>', level: 2, markdown }
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
