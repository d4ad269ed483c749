/** Every size of window, light and dark, with and without motion; and a host page whose style knows no mercy. */
import { expect, test } from '@playwright/test'
import { server } from '../addresses.mjs'
import { Chat, HOSTS, markedText } from './chat'

test('on a wide screen the panel is 320 to 600 pixels wide and leaves the page beside it', async ({ page }) => {
  const chat = await (await Chat.withTag(page, { width: '5000' })).open()
  expect((await chat.panel.boundingBox())!.width).toBe(600)
  await page.setViewportSize({ width: 1920, height: 1080 })
  await expect.poll(async () => (await chat.panel.boundingBox())!.width).toBe(600)
})

test('from 768 pixels on the panel floats, below it fills the screen', async ({ page }) => {
  await page.setViewportSize({ width: 768, height: 900 })
  const chat = await (await Chat.withTag(page)).open()
  expect((await chat.panel.boundingBox())!.width).toBeLessThan(500)
  await page.setViewportSize({ width: 767, height: 900 })
  await expect.poll(() => chat.panel.boundingBox()).toEqual({ x: 0, y: 0, width: 767, height: 900 })
})

for (const corner of ['top-left', 'top-right', 'bottom-left', 'bottom-right']) {
  test(`the button and the panel are in the corner ${corner}`, async ({ page }) => {
    await page.emulateMedia({ reducedMotion: 'reduce' })
    const chat = await Chat.withTag(page, { corner })
    const button = (await chat.launcher.boundingBox())!
    await chat.open()
    const panel = (await chat.panel.boundingBox())!
    for (const box of [button, panel]) {
      if (corner.startsWith('top')) expect(box.y).toBeLessThanOrEqual(20)
      else expect(box.y + box.height).toBeGreaterThanOrEqual(780)
      if (corner.endsWith('left')) expect(box.x).toBeLessThanOrEqual(20)
      else expect(box.x + box.width).toBeGreaterThanOrEqual(1260)
    }
  })
}

for (const width of [320, 768]) {
  for (const host of HOSTS) {
    test(`on ${host}, ${width} pixels wide, nothing is cut off and a citation shows its sentence`, async ({
      page,
    }) => {
      await page.setViewportSize({ width, height: 640 })
      const chat = await Chat.on(host, page)
      if (host === 'the served page' && width < 768)
        await page.getByRole('navigation', { name: 'Views' }).getByRole('button', { name: 'Chat' }).click()
      await chat.open()
      await chat.ask('do i need to own a robot to follow this book?')
      const overflow = await page.evaluate(() => {
        const root = document.querySelector('citebook-chat')?.shadowRoot ?? document
        const surface = root.querySelector('.cb-surface')!
        const edge = surface.getBoundingClientRect()
        const isOut = (element: Element): boolean => {
          const { left, right, width } = element.getBoundingClientRect()
          return width > 1 && (left < edge.left - 1 || right > edge.right + 1)
        }
        return [...surface.querySelectorAll('button, a, p, li, summary, textarea')]
          .filter((element) => !element.closest('.cb-unseen') && isOut(element))
          .map((element) => element.outerHTML.slice(0, 100))
      })
      expect(overflow).toEqual([])
      await chat.chips.first().click()
      const marked = await markedText(page)
      expect(marked.isInView).toBe(true)
      expect(marked.isUncovered).toBe(true)
    })
  }
}

test('buttons are at least 44 pixels high and wide to the finger', async ({ page }) => {
  await page.setViewportSize({ width: 375, height: 700 })
  const chat = await Chat.on('the Docusaurus site', page)
  const launcher = (await chat.launcher.boundingBox())!
  expect(Math.min(launcher.width, launcher.height)).toBeGreaterThanOrEqual(44)
  await chat.open()
  await chat.ask('what is gimbal lock')
  const small = await page.locator('.cb-panel button').evaluateAll((buttons) =>
    buttons
      .map((button) => ({
        label: button.getAttribute('aria-label') ?? button.textContent,
        box: button.getBoundingClientRect(),
      }))
      .filter(({ box }) => box.width > 0 && (box.width < 44 || box.height < 44))
      .map(({ label, box }) => `${label} ${box.width}×${box.height}`),
  )
  expect(small).toEqual([])
})

test('with reduced motion nothing is animated and pages do not scroll smoothly', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  const chat = await (await Chat.on('the Docusaurus site', page)).open()
  await chat.ask('what is gimbal lock')
  const moving = await page.evaluate(
    () => document.querySelector('citebook-chat')!.shadowRoot!.getAnimations().length,
  )
  expect(moving).toBe(0)
  await chat.chips.first().click()
  expect((await markedText(page)).isInView).toBe(true)
})

test('dark mode follows the theme of the Docusaurus site', async ({ page }) => {
  const chat = await (await Chat.on('the Docusaurus site', page)).open()
  const frame = page.locator('citebook-chat .cb')
  const ground = (): Promise<string> => chat.panel.evaluate((panel) => getComputedStyle(panel).backgroundColor)
  await page.evaluate(() => document.documentElement.setAttribute('data-theme', 'light'))
  await expect(frame).toHaveAttribute('data-theme', 'light')
  const light = await ground()
  const toggle = page.getByRole('button', { name: /Switch between dark and light mode/ })
  await toggle.click()
  if ((await page.locator('html').getAttribute('data-theme')) !== 'dark') await toggle.click()
  await expect(frame).toHaveAttribute('data-theme', 'dark')
  expect(await ground()).not.toBe(light)
})

test('the theme of the served page is chosen there and kept', async ({ page }) => {
  await page.goto(`${server}/`)
  const button = page.getByRole('button', { name: /^Theme:/ })
  await expect(button).toHaveAccessibleName('Theme: automatic')
  await button.click()
  await button.click()
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  await page.reload()
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
})

test('the style of the host page does not reach the chat', async ({ page }) => {
  const chat = await (await Chat.on('a page with the script tag', page)).open()
  const style = await chat.send.evaluate((button) => {
    const { padding, textTransform, color } = getComputedStyle(button)
    return { padding, textTransform, color }
  })
  expect(style.padding).not.toBe('50px')
  expect(style.textTransform).toBe('none')
  expect(style.color).not.toBe('rgb(0, 255, 0)')
  const host = await chat.input.evaluate((input) => {
    const { fontFamily, letterSpacing, fontSize, display } = getComputedStyle(input)
    return { fontFamily, letterSpacing, fontSize, display }
  })
  expect(host).toMatchObject({ letterSpacing: 'normal', display: 'block' })
  expect(host.fontFamily).not.toContain('Times')
  expect(parseFloat(host.fontSize)).toBeGreaterThanOrEqual(14)
})

test('"Jump to latest" shows when one has scrolled up, and goes there', async ({ page }) => {
  const chat = await (await Chat.on('a page with the script tag', page)).open()
  for (const question of ['what is gimbal lock', 'what is xacro for', 'how many joint types does urdf have'])
    await chat.ask(question)
  await page.locator('.cb-conversation').evaluate((list) => list.scrollTo(0, 0))
  await page.getByRole('button', { name: 'Jump to latest' }).click()
  await expect(page.getByRole('button', { name: 'Jump to latest' })).toBeHidden()
})
