/** Measures how long after each key the rows of the search box are drawn, on the served page: node search-keys.mjs [address] */
import { rmSync } from 'node:fs'
import { chromium as browsers } from 'playwright'
import { browserOptions } from './browser.mjs'
import { runFolder } from './folders.mjs'
import { startServers } from './servers/start.mjs'

const KEYS_A_SECOND = 8
const LIMIT_MILLISECONDS = 50
const TYPED = [
  'gimbal lock',
  'inverse kinematics',
  'zero moment point',
  'friction',
  'behaviour tree',
  'digital twin',
  'quaternion',
  'urdf joint types',
  'torque',
]

/** Runs in the page: notes for each search when its key was pressed, when it was asked and answered, and when it was drawn. */
function noteSearches() {
  const original = window.fetch
  let pressed = 0
  window.searches = []
  addEventListener(
    'keydown',
    (event) => {
      pressed = event.timeStamp
    },
    { capture: true },
  )
  window.fetch = async (address, options) => {
    if (!String(address).includes('/api/search?')) return original(address, options)
    const note = { typed: new URL(String(address), location.href).searchParams.get('q'), pressed }
    note.asked = performance.now()
    const response = await original(address, options)
    const body = await response.clone().text()
    note.answered = performance.now()
    // Rows are made in a task of their own, and drawn with the next frame.
    setTimeout(() =>
      requestAnimationFrame(() => {
        note.drawn = performance.now()
        window.searches.push(note)
      }),
    )
    return new Response(body, response)
  }
}

async function typeAll(page) {
  for (const text of TYPED) {
    await page.locator('.cb-find-input').fill('')
    for (const key of text) {
      await page.keyboard.press(key === ' ' ? 'Space' : key)
      await page.waitForTimeout(1000 / KEYS_A_SECOND)
    }
  }
}

const rounded = (number) => Math.round(number)
const at = (sorted, share) => rounded(sorted[Math.floor((sorted.length - 1) * share)])

async function measure(address) {
  const browser = await browsers.launch(browserOptions())
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  await page.addInitScript(noteSearches)
  await page.goto(`${address}/?mode=ephemeral`)
  // Once for each page of an edition the server finds out which questions it can offer there.
  await page.locator('.cb-examples').waitFor()
  await page.keyboard.press('Control+k')
  await page.locator('.cb-find-input').waitFor()
  await typeAll(page)
  const searches = await page.evaluate(() => window.searches)
  await browser.close()
  const times = searches.map(({ pressed, drawn }) => drawn - pressed).sort((one, other) => one - other)
  const within = times.filter((time) => time <= LIMIT_MILLISECONDS).length
  console.log(
    `rows after a key: ${within} of ${times.length} within ${LIMIT_MILLISECONDS} ms, median ${at(times, 0.5)}, 90th percentile ${at(times, 0.9)}, longest ${at(times, 1)} ms`,
  )
  for (const { typed, pressed, asked, answered, drawn } of searches)
    if (drawn - pressed > LIMIT_MILLISECONDS)
      console.log(
        `  “${typed}”: ${rounded(drawn - pressed)} ms (to the request ${rounded(asked - pressed)}, request ${rounded(answered - asked)}, drawing ${rounded(drawn - answered)})`,
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
