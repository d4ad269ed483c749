/**
 * Pictures of the chat, taken of the real server and the built site: node screenshots.mjs [NAME …]
 * Those of the README go to docs/images, all others, which are there to be looked at, to the folder that PICTURES names.
 */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { chromium as browsers } from 'playwright'
import { browserOptions } from './browser.mjs'
import { project, runFolder } from './folders.mjs'
import { startServers } from './servers/start.mjs'

const folder = runFolder()
const { server, site, stop } = await startServers(folder)
const images = join(project, 'docs/images')
const others = process.env.PICTURES
const QUESTION = 'what is gimbal lock'
const TABLE = 'how many joint types does urdf have'
const CODE = 'how do i write a publisher in python'
const FORMULA = 'how do i get the joint torques from a force at the tip'
const wide = { width: 1280, height: 800 }
/** At 1280 pixels a Docusaurus page beside the chat is narrow. */
const wider = { width: 1440, height: 860 }
const phone = { width: 390, height: 844 }

async function ask(page, question) {
  const answers = page.locator('.cb-answer, .cb-failure')
  const before = await answers.count()
  await page.locator('.cb-input').fill(question)
  await page.locator('.cb-input').press('Enter')
  await page.waitForFunction(
    (count) =>
      (document.querySelector('citebook-chat')?.shadowRoot ?? document).querySelectorAll(
        '.cb-answer[aria-busy=false], .cb-failure',
      ).length > count,
    before,
  )
}

async function open(page, address) {
  await page.goto(address)
  await page.locator('.cb-launcher').click()
  await page.locator('.cb-input').waitFor()
}

const CHAPTER = `${site}/docs/module-1-ros2/chapter-2-kinematics`

async function inTheDark(page) {
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.addInitScript(() => localStorage.setItem('theme', 'dark'))
}

async function askOn(page, address, question) {
  await open(page, address)
  await ask(page, question)
}

async function askAndFollow(page, question) {
  await ask(page, question)
  await page.locator('a.cb-chip').first().click()
  await page.waitForFunction(() => CSS.highlights.has('citebook-citation'))
  await page.mouse.move(700, 5)
}

async function search(page, text) {
  await page.keyboard.press('Control+k')
  await page.locator('.cb-find-input').pressSequentially(text)
  await page.locator('.cb-find-option').nth(2).waitFor()
}

const pictures = {
  // In the README and in guides.
  async 'table-answer'(page) {
    await page.goto(`${server}/?mode=ephemeral`)
    await page.locator('.cb-input').waitFor()
    await askAndFollow(page, TABLE)
    await page.locator('.cb-conversation').evaluate((list) => list.scrollTo(0, 0))
  },
  async 'highlighted-sentence'(page) {
    await open(page, `${site}/docs/`)
    await askAndFollow(page, QUESTION)
  },
  async 'search-box'(page) {
    await page.goto(`${server}/?mode=ephemeral`)
    await page.locator('.cb-input').waitFor()
    await search(page, 'jacob')
  },
  // To be looked at.
  async closed(page) {
    await page.goto(`${site}/docs/`)
    await page.locator('.cb-launcher').waitFor()
  },
  docked: (page) => askOn(page, CHAPTER, QUESTION),
  async dark(page) {
    await inTheDark(page)
    await askOn(page, CHAPTER, QUESTION)
  },
  code: (page) => askOn(page, CHAPTER, CODE),
  formula: (page) => askOn(page, CHAPTER, FORMULA),
  async phone(page) {
    await page.setViewportSize(phone)
    await askOn(page, `${site}/docs/`, QUESTION)
  },
  async 'phone-table'(page) {
    await page.setViewportSize(phone)
    await askOn(page, `${site}/docs/`, TABLE)
  },
  async 'phone-dark-search'(page) {
    await page.setViewportSize(phone)
    await inTheDark(page)
    await page.goto(CHAPTER)
    await page.locator('.cb-launcher').waitFor()
    await search(page, 'jacob')
  },
  async 'search-dark'(page) {
    await inTheDark(page)
    await page.goto(CHAPTER)
    await page.locator('.cb-launcher').waitFor()
    await search(page, 'how does slam build a map')
  },
  async chip(page) {
    await askOn(page, `${site}/docs/`, 'do i need to own a robot to follow this book?')
    await page.locator('a.cb-chip').first().hover()
    await page.locator('.cb-popover').waitFor()
  },
  refusal: (page) => askOn(page, `${site}/docs/`, 'which university offers a robotics degree?'),
  warning: (page) => askOn(page, `${site}/docs/`, 'which robot should i buy first'),
  async error(page) {
    await page.route('**/api/ask/stream', (route) => route.abort('connectionrefused'))
    await askOn(page, `${site}/docs/`, QUESTION)
  },
  async selection(page) {
    await page.goto(`${site}/docs/`)
    await page.locator('.cb-launcher').waitFor()
    await page.locator('article p', { hasText: 'need a robot' }).evaluate((element) => {
      element.scrollIntoView({ block: 'center' })
      document.getSelection().selectAllChildren(element)
    })
    await page.getByRole('button', { name: 'Ask about this', exact: true }).click()
    await page.getByRole('switch').check()
  },
}
const KEPT = ['table-answer', 'highlighted-sentence', 'search-box']

const browser = await browsers.launch(browserOptions())
if (others) mkdirSync(others, { recursive: true })
const chosen = process.argv.slice(2)
for (const [name, take] of Object.entries(pictures)) {
  const target = KEPT.includes(name) ? images : others
  if (!target || (chosen.length && !chosen.includes(name))) continue
  const page = await browser.newPage({ viewport: target === images ? wider : wide, colorScheme: 'light' })
  await take(page)
  await page.waitForTimeout(2500)
  await page.screenshot({ path: join(target, `${name}.png`) })
  await page.close()
  console.log(`${name}.png`)
}
await browser.close()
await stop()
rmSync(folder, { recursive: true, force: true })
