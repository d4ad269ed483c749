/** For everyone: no violation that axe finds, and all of it by keyboard alone. */
import AxeBuilder from '@axe-core/playwright'
import { expect, type Page, test } from '@playwright/test'
import {
  bullets,
  code,
  formula,
  numbered,
  paragraph,
  part,
  quotation,
  run,
  table,
} from '../../packages/widget/test/blocks'
import { Chat, HOSTS, type Host, markedText, untilNothingMoves } from './chat'
import { CITATION, ending, say, scriptedQuestion } from './scripted'

/** Rules about the site's own text, which is not ours to judge; on our own page all rules hold. */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

const EVERY_BLOCK = [
  paragraph('A ', run('word', 'strong'), ' of ', run('code', 'code'), ' and ', run('x^2', 'formula'), '.'),
  table(['a', run('b_i', 'formula')], ['1', '2']),
  code('python', `x = ${'1 + '.repeat(40)}1`),
  formula('\\sum_i x_i'),
  numbered(1, [paragraph('One.'), bullets([paragraph('Inside.')])], [paragraph('Two.')]),
  quotation(paragraph('A note.')),
]

async function violationsOf(page: Page, host: Host): Promise<string[]> {
  await untilNothingMoves(page)
  const builder = new AxeBuilder({ page }).withTags(TAGS)
  if (host !== 'the served page') builder.include('citebook-chat')
  const { violations } = await builder.analyze()
  return violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map(({ html, failureSummary }) => `${html.slice(0, 160)} ${failureSummary?.slice(0, 200)}`).join('\n')}`,
  )
}

/** What a finger would miss: less than 44 pixels high or wide. */
function smallTargets(page: Page): Promise<string[]> {
  return page.locator('.cb-panel :is(button, select, summary, .cb-faq-go)').evaluateAll((targets) =>
    targets
      .map((target) => ({ name: target.className || target.tagName, box: target.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 0 && (box.width < 44 || box.height < 44))
      .map(({ name, box }) => `${name} ${box.width}×${box.height}`),
  )
}

for (const colorScheme of ['light', 'dark'] as const) {
  for (const host of HOSTS) {
    test.describe(`${host} in ${colorScheme} mode`, () => {
      test.use({ colorScheme })

      test('has no violation, closed, open, with an answer and with its excerpt', async ({ page }) => {
        const chat = await Chat.on(host, page)
        if (host === 'the served page') await expect(chat.input).toBeVisible()
        else await expect(chat.launcher).toBeVisible()
        expect.soft(await violationsOf(page, host), 'closed').toEqual([])
        await chat.open()
        expect.soft(await violationsOf(page, host), 'open and empty').toEqual([])
        await chat.ask('what is gimbal lock')
        expect.soft(await violationsOf(page, host), 'with an answer').toEqual([])
        await chat.chips.first().focus()
        await expect(page.locator('.cb-popover')).toBeVisible()
        expect.soft(await violationsOf(page, host), 'with an excerpt').toEqual([])
        await page.keyboard.press('Escape')
        await page.getByRole('button', { name: 'Bad answer' }).click()
        expect.soft(await violationsOf(page, host), 'with a form for a note').toEqual([])
      })
    })
  }

  test(`warnings, refusals and errors in ${colorScheme} mode have no violation`, async ({ page }) => {
    await page.emulateMedia({ colorScheme })
    const host = 'a page with the script tag'
    const chat = await (await Chat.withTag(page, { mode: 'persistent', examples: 'One?|Two?' })).open()
    expect.soft(await violationsOf(page, host), 'with examples').toEqual([])
    await chat.type(
      await scriptedQuestion([
        say('Perhaps.', 1),
        { text: 'More of it.', parts: [part(1, ...EVERY_BLOCK)] },
        ending({ citations: [CITATION], lowConfidence: true, confidence: 0.2 }),
      ]),
    )
    await expect(page.locator('.cb-band')).toBeVisible()
    expect.soft(await violationsOf(page, host), 'with a warning').toEqual([])
    await chat.type(
      await scriptedQuestion([
        say('I did not find this in the book.'),
        ending({ outcome: 'refused', confidence: 0.1, suggestions: [{ title: 'About this book', url: '/docs/' }] }),
      ]),
    )
    await expect(page.locator('.cb-suggestions')).toBeVisible()
    expect.soft(await violationsOf(page, host), 'with a refusal').toEqual([])
    await chat.type(await scriptedQuestion([{ status: 429, headers: { 'Retry-After': '60' } }]))
    await expect(page.getByRole('timer')).toBeVisible()
    expect.soft(await violationsOf(page, host), 'with a countdown').toEqual([])
    await page.getByRole('button', { name: 'Clear history' }).click()
    expect.soft(await violationsOf(page, host), 'with a question to confirm').toEqual([])
  })

  test(`choices, earlier conversations and frequent questions in ${colorScheme} mode have no violation`, async ({
    page,
  }) => {
    await page.emulateMedia({ colorScheme })
    const host = 'a page with the script tag'
    const chat = await (await Chat.withTag(page, { mode: 'persistent', token: 'a-reader' })).open()
    await page.getByRole('button', { name: /^Search in:/ }).click()
    for (const [label, value] of [
      ['Level', 'advanced'],
      ['Topics', 'slam'],
      ['Topics', 'imu'],
    ] as const)
      await page.getByLabel(label, { exact: true }).selectOption(value)
    expect.soft(await violationsOf(page, host), 'with choices').toEqual([])
    expect.soft(await smallTargets(page), 'targets of the choices').toEqual([])
    await page.getByRole('button', { name: 'Earlier conversations' }).click()
    await expect(page.locator('.cb-conversations button')).toHaveCount(2)
    expect.soft(await violationsOf(page, host), 'with earlier conversations').toEqual([])
    expect.soft(await smallTargets(page), 'targets of the list').toEqual([])
    await page.keyboard.press('Escape')
    const fallbackFaq = [{ question: 'What is a gear?', answer: 'A wheel.', url: '/docs/' }]
    const body = { error: { code: 'VECTOR_STORE_UNAVAILABLE', message: 'There is no index.', fallbackFaq } }
    await chat.type(
      await scriptedQuestion([say('So.'), ending({ tokensUsed: { input: 1200, output: 34, total: 1234 } })]),
    )
    await expect(page.locator('.cb-tokens')).toBeVisible()
    await chat.type(await scriptedQuestion([{ status: 503, body }]))
    await page.getByText('What is a gear?').click()
    expect.soft(await violationsOf(page, host), 'with frequent questions and tokens').toEqual([])
    expect.soft(await smallTargets(page), 'targets of the questions').toEqual([])
  })
}

/** Presses Shift+Tab until the element has the focus, as a reader without a mouse does. */
async function tabBackTo(page: Page, selector: string, most = 40): Promise<void> {
  for (let presses = 0; presses < most; presses += 1) {
    const isThere = await page.evaluate((wanted) => {
      let focused = document.activeElement
      while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement
      return focused?.matches(wanted) ?? false
    }, selector)
    if (isThere) return
    await page.keyboard.press('Shift+Tab')
  }
  throw new Error(`${selector} is not reached by Shift+Tab`)
}

for (const host of ['the Docusaurus site', 'a page with the script tag'] as const) {
  test(`on ${host} the whole way goes by keyboard alone`, async ({ page }) => {
    const chat = await Chat.on(host, page)
    await expect(chat.launcher).toBeVisible()
    await page.keyboard.press('Control+i')
    await expect(chat.input).toBeFocused()
    await page.keyboard.type('do i need to own a robot to follow this book?')
    await page.keyboard.press('Enter')
    await expect(chat.answers).toHaveAttribute('aria-busy', 'false')
    await page.keyboard.press('Shift+Tab')
    await tabBackTo(page, 'a.cb-chip')
    await expect(page.locator('.cb-popover blockquote')).toBeVisible()
    await page.keyboard.press('Enter')
    const marked = await markedText(page)
    expect(marked.isInView).toBe(true)
    await chat.input.focus()
    await page.keyboard.press('Escape')
    await expect(chat.panel).toBeHidden()
    await expect(chat.launcher).toBeFocused()
  })

  test(`on ${host} the button is reached by Tab and opened by Enter`, async ({ page }) => {
    const chat = await Chat.on(host, page)
    await expect(chat.launcher).toBeVisible()
    await page.keyboard.press('Shift+Tab')
    await tabBackTo(page, '.cb-launcher', 3)
    await page.keyboard.press('Enter')
    await expect(chat.input).toBeFocused()
    await page.keyboard.press('Control+i')
    await expect(chat.launcher).toBeFocused()
  })
}

test('on the served page the whole way goes by keyboard alone', async ({ page }) => {
  const chat = await Chat.on('the served page', page)
  await expect(chat.input).toBeVisible()
  await page.keyboard.press('Control+i')
  await expect(chat.input).toBeFocused()
  await page.keyboard.type('what is gimbal lock')
  await page.keyboard.press('Enter')
  await expect(chat.answers).toHaveAttribute('aria-busy', 'false')
  await tabBackTo(page, 'a.cb-chip')
  await page.keyboard.press('Enter')
  expect((await markedText(page)).isInView).toBe(true)
})

test('the width of the panel is changed by keyboard', async ({ page }) => {
  const chat = await (await Chat.withTag(page)).open()
  const before = (await chat.panel.boundingBox())!.width
  await page.getByRole('separator').focus()
  await page.keyboard.press('ArrowLeft')
  await expect.poll(async () => (await chat.panel.boundingBox())!.width).toBeGreaterThan(before)
})

test('on a narrow screen Tab stays in the chat, which covers the page', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 })
  const chat = await (await Chat.withTag(page)).open()
  for (let presses = 0; presses < 12; presses += 1) {
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('CITEBOOK-CHAT')
  }
  await expect(chat.panel).toHaveAttribute('aria-modal', 'true')
})
