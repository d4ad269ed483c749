/** Pictures of the chat for the README, taken of the real server and the built site: node screenshots.mjs */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { chromium as browsers } from 'playwright'
import { browserOptions } from './browser.mjs'
import { project, runFolder } from './folders.mjs'
import { startServers } from './servers/start.mjs'

const folder = runFolder()
const { server, site, stop } = await startServers(folder)
const images = join(project, 'docs/images')
const QUESTION = 'what is gimbal lock'
const wide = { width: 1280, height: 800 }
const phone = { width: 320, height: 640 }

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

const pictures = {
  async 'widget-closed'(page) {
    await page.goto(`${site}/docs/`)
    await page.locator('.cb-launcher').waitFor()
  },
  async 'widget-light'(page) {
    await open(page, `${site}/docs/module-1-ros2/chapter-2-kinematics`)
    await ask(page, QUESTION)
  },
  async 'widget-dark'(page) {
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.addInitScript(() => localStorage.setItem('theme', 'dark'))
    await open(page, `${site}/docs/module-1-ros2/chapter-2-kinematics`)
    await ask(page, QUESTION)
  },
  async 'widget-320'(page) {
    await page.setViewportSize(phone)
    await open(page, `${site}/docs/`)
    await ask(page, QUESTION)
  },
  async 'citation-chip'(page) {
    await open(page, `${site}/docs/`)
    await ask(page, 'do i need to own a robot to follow this book?')
    await page.locator('a.cb-chip').first().hover()
    await page.locator('.cb-popover').waitFor()
  },
  async 'highlighted-sentence'(page) {
    await open(page, `${site}/docs/`)
    await ask(page, QUESTION)
    await page.locator('a.cb-chip').first().click()
    await page.waitForFunction(() => CSS.highlights.has('citebook-citation'))
    await page.mouse.move(500, 700)
  },
  async refusal(page) {
    await open(page, `${site}/docs/`)
    await ask(page, 'which university offers a robotics degree?')
  },
  async warning(page) {
    await open(page, `${site}/docs/`)
    await ask(page, 'which robot should i buy first')
  },
  async error(page) {
    await page.route('**/api/ask/stream', (route) => route.abort('connectionrefused'))
    await open(page, `${site}/docs/`)
    await ask(page, QUESTION)
  },
  async 'served-page'(page) {
    await page.goto(`${server}/?mode=ephemeral`)
    await page.locator('.cb-input').waitFor()
    await ask(page, QUESTION)
    await page.locator('a.cb-chip').first().click()
    await page.waitForFunction(() => CSS.highlights.has('citebook-citation'))
    await page.mouse.move(500, 700)
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

const browser = await browsers.launch(browserOptions())
mkdirSync(images, { recursive: true })
const chosen = process.argv.slice(2)
for (const [name, take] of Object.entries(pictures)) {
  if (chosen.length && !chosen.includes(name)) continue
  const page = await browser.newPage({ viewport: wide, colorScheme: 'light' })
  await take(page)
  await page.waitForTimeout(2500)
  await page.screenshot({ path: join(images, `${name}.png`) })
  await page.close()
  console.log(`${name}.png`)
}
await browser.close()
await stop()
rmSync(folder, { recursive: true, force: true })
