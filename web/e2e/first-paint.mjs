/** Measures when the served page is first painted and when its chat can be used, in a browser with an empty cache. */
import { chromium as browsers } from 'playwright'
import { browserOptions, chromium, server } from './places.mjs'

const address = process.argv[2] ?? server
const RUNS = 5

async function visit(browser) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  await page.goto(address)
  await page.locator('.cb-input').waitFor()
  const times = await page.evaluate(() => ({
    paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN,
    usable: performance.now(),
  }))
  await page.close()
  return times
}

const middle = (numbers) => numbers.sort((one, other) => one - other)[Math.floor(numbers.length / 2)]

const browser = await browsers.launch({ ...browserOptions, executablePath: chromium() })
await visit(browser)
const visits = []
for (let run = 0; run < RUNS; run += 1) visits.push(await visit(browser))
await browser.close()
const [paint, usable] = ['paint', 'usable'].map((name) => Math.round(middle(visits.map((times) => times[name]))))
console.log(
  `served page: first contentful paint ${paint} ms, chat usable ${usable} ms (median of ${RUNS}, ${address})`,
)
