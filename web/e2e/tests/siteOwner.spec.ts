/** What a site can do with the chat: hear of it, steer it, and have it speak its readers' language. */
import { expect, type Page, test } from '@playwright/test'
import { plain, scripted, server, site } from '../addresses.mjs'
import { Chat } from './chat'
import { CITATION, ending, say, scriptedQuestion, whatBecameOf } from './scripted'

const EVENTS = ['asked', 'answered', 'refused', 'cited', 'rated']

async function listen(page: Page): Promise<() => Promise<[string, Record<string, unknown>][]>> {
  await page.evaluate((names) => {
    const heard: [string, unknown][] = []
    Object.assign(window, { heardEvents: heard })
    for (const name of names)
      document.addEventListener(`citebook:${name}`, (event) => heard.push([name, (event as CustomEvent).detail]))
  }, EVENTS)
  return () =>
    page.evaluate(() => (window as unknown as { heardEvents: [string, Record<string, unknown>][] }).heardEvents)
}

test('a site hears what is asked, answered, refused, followed and rated', async ({ page }) => {
  const chat = await (await Chat.withTag(page)).open()
  const heard = await listen(page)
  await page.route('**/api/feedback', (route) =>
    route.fulfill({ status: 204, headers: { 'Access-Control-Allow-Origin': '*' } }),
  )
  const [good, bad] = [
    await scriptedQuestion([say('A gear.', 1), ending({ answer_id: 'a1', citations: [CITATION] })]),
    await scriptedQuestion([say('Not there.'), ending({ outcome: 'refused', answer_id: 'a2' })]),
  ]
  await chat.type(good)
  await expect(chat.answers).toHaveAttribute('aria-busy', 'false')
  await page.getByRole('button', { name: 'Bad answer' }).click()
  await page.getByLabel('Incomplete').check()
  await page.getByRole('button', { name: 'Send', exact: true }).first().click()
  await expect(page.getByText('Thank you for your feedback.')).toBeVisible()
  await chat.chips.first().click()
  await chat.type(bad)
  await expect(chat.answers.last()).toContainText('Not there.')
  await expect
    .poll(async () => (await heard()).map(([name]) => name))
    .toEqual(['asked', 'answered', 'rated', 'rated', 'cited', 'asked', 'refused'])
  const [asked, answered, , rated, cited] = (await heard()).map(([, detail]) => detail)
  expect(asked).toEqual({ question: good, hasPassage: false })
  expect(answered).toMatchObject({ question: good, answerId: 'a1', sources: [{ url: CITATION.url }] })
  expect(rated).toEqual({ answerId: 'a1', rating: 'down', reason: 'incomplete' })
  expect(cited).toEqual({ title: CITATION.section_title, url: CITATION.url })
})

for (const [host, address] of Object.entries({
  'a page with the script tag': `${plain}/docs/?mode=ephemeral`,
  'the Docusaurus site': `${site}/docs/`,
})) {
  test(`on ${host}, the chat adds window.Citebook and nothing else`, async ({ page }) => {
    await page.addInitScript(() => Object.assign(window, { namesBefore: new Set(Object.keys(window)) }))
    await page.goto(address)
    const chat = await new Chat(page).open()
    await chat.ask('what is gimbal lock')
    const [added, functions] = await page.evaluate(() => {
      const before = (window as unknown as { namesBefore: Set<string> }).namesBefore
      const names = Object.keys(window).filter((name) => !before.has(name))
      return [names, Object.keys(window.Citebook!)]
    })
    const ofSite =
      /^(namesBefore|answerHeard|docusaurus.*|webpackChunk.*|__rspack.*|rspackChunk.*|_.*|\$RefreshReg\$|chunkLoading.*)$/
    expect(added.filter((name) => !ofSite.test(name))).toEqual(['Citebook'])
    expect(functions).toEqual(['open', 'close', 'ask', 'setToken', 'setScope'])
  })
}

test('a script of the site signs a reader in, and chooses what is asked about', async ({ page }) => {
  const question = await scriptedQuestion([say('A gear.'), ending()])
  const chat = await Chat.withTag(page, { mode: 'persistent' }, '/docs/two')
  await chat.launcher.waitFor()
  await page.evaluate(async () => {
    window.Citebook!.setToken('a-reader')
    await window.Citebook!.open()
    await window.Citebook!.setScope('page')
  })
  await expect(page.locator('.cb-filter-toggle')).toContainText('Two')
  await page.evaluate((asked) => window.Citebook!.ask(asked), question)
  await expect(chat.answers).toContainText('A gear.')
  const { bodies, authorizations } = await whatBecameOf(question)
  expect(authorizations).toEqual(['Bearer a-reader'])
  expect(bodies[0]!.scope).toEqual({ chapter_id: 'two' })
})

for (const [language, words] of Object.entries({
  de: ['Fragen', 'Was möchten Sie wissen?'],
  fr: ['Demander', 'Que souhaitez-vous savoir ?'],
  es: ['Preguntar', '¿Qué le gustaría saber?'],
  ur: ['پوچھیں', 'آپ کیا جاننا چاہتے ہیں؟'],
})) {
  test(`the chat speaks ${language}, and loads no other language`, async ({ page }) => {
    const loaded: string[] = []
    page.on('response', (response) => loaded.push(new URL(response.url()).pathname))
    const chat = await Chat.withTag(page, { language })
    await expect(chat.launcher).toHaveText(words[0]!)
    await chat.open()
    await expect(page.getByText(words[1]!)).toBeVisible()
    expect(await page.locator('citebook-chat .cb').getAttribute('dir')).toBe(language === 'ur' ? 'rtl' : 'ltr')
    expect(loaded.filter((path) => /\/(german|french|spanish|urdu)-/.test(path))).toHaveLength(1)
  })
}

test('in Urdu the chat reads from right to left, and nothing is cut off', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 780 })
  const chat = await (await Chat.withTag(page, { language: 'ur' })).open()
  await chat.type(await scriptedQuestion([say('A gear.', 1), ending({ citations: [CITATION], answer_id: 'a1' })]))
  await expect(chat.answers).toHaveAttribute('aria-busy', 'false')
  const question = (await chat.questions.boundingBox())!
  expect(question.x).toBeLessThan(60)
  const isOut = await page.locator('.cb-surface :is(button, a, p, summary)').evaluateAll((elements) =>
    elements
      .filter((element) => !element.closest('.cb-unseen'))
      .map((element) => element.getBoundingClientRect())
      .some(({ left, right, width }) => width > 1 && (left < -1 || right > innerWidth + 1)),
  )
  expect(isOut).toBe(false)
})

test('a policy that allows the server and nothing else stops nothing: chat, dock, box and language', async ({
  page,
}) => {
  await page.addInitScript(() => {
    const stopped: string[] = []
    Object.assign(window, { stopped })
    document.addEventListener('securitypolicyviolation', (event) =>
      stopped.push(`${event.effectiveDirective} ${event.sourceFile} ${event.blockedURI}`),
    )
  })
  const chat = await (await Chat.withTag(page, { language: 'de', strict: '' })).open()
  await expect(page.locator('html')).toHaveCSS('margin-right', '400px')
  await chat.type(await scriptedQuestion([say('A gear.', 1), ending({ citations: [CITATION] })]))
  await chat.chips.first().focus()
  await expect(page.locator('.cb-popover')).toBeVisible()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('gear')
  await expect(page.getByRole('option')).toHaveText(/gear/)
  const stopped = await page.evaluate(() => (window as unknown as { stopped: string[] }).stopped)
  expect(stopped.filter((what) => what.includes(server) || what.includes(scripted))).toEqual([])
})
