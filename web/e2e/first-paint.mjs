/** Measures when the served page is first painted and when its chat can be used, in a browser with an empty cache. */
import { rmSync } from 'node:fs'
import { chromium as browsers } from 'playwright'
import { browserOptions } from './browser.mjs'
import { runFolder } from './folders.mjs'
import { startServers } from './servers/start.mjs'

const RUNS = 5

async function visit(browser, address) {
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

async function measure(address) {
  const browser = await browsers.launch(browserOptions())
  await visit(browser, address)
  const visits = []
  for (let run = 0; run < RUNS; run += 1) visits.push(await visit(browser, address))
  await browser.close()
  const [paint, usable] = ['paint', 'usable'].map((name) => Math.round(middle(visits.map((times) => times[name]))))
  console.log(
    `served page: first contentful paint ${paint} ms, chat usable ${usable} ms (median of ${RUNS}, ${address})`,
  )
}

/** A server that runs already can be named; otherwise one is started. */
const [, , named] = process.argv
if (named) {
  await measure(named)
} else {
  const folder = runFolder()
  const { server, stop } = await startServers(folder)
  await measure(server)
  await stop()
  rmSync(folder, { recursive: true, force: true })
}
