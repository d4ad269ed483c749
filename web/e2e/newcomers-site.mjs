/** Asks on the site of docs/guides/newcomers-run.md, follows the citation and takes a picture: node newcomers-site.mjs PICTURE */
import { chromium as browsers } from 'playwright'
import { browserOptions } from './browser.mjs'

const SITE = 'http://localhost:3000/docs/intro'
const QUESTION = 'How do I create a blog post?'

const [, , picture] = process.argv
const browser = await browsers.launch(browserOptions())
const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme: 'light' })
await page.goto(SITE)
if (!(await page.locator('.my-own-root').count())) throw new Error('The site has lost its own Root.')
await page.locator('.cb-launcher').click()
await page.locator('.cb-input').fill(QUESTION)
await page.locator('.cb-input').press('Enter')
await page.locator('.cb-answer[aria-busy=false] a.cb-chip').first().click()
await page.waitForFunction(() => CSS.highlights.has('citebook-citation'))
await page.mouse.move(500, 700)
await page.waitForTimeout(2500)
await page.screenshot({ path: picture })
await browser.close()
