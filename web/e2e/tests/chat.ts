/** A reader's hands and eyes: opens the chat on one of the three kinds of page, asks, and sees what is marked. */
import { expect, type Locator, type Page } from '@playwright/test'
import { plain, scripted, server, site } from '../addresses.mjs'

export interface Citation {
  chapter: string
  excerpt: string
  url: string
  /** All of what is cited. */
  place: { text: string }
}

export interface Answer {
  text: string
  frames: number
  citations: Citation[]
  outcome: string
}

export type Host = 'the Docusaurus site' | 'the served page' | 'a page with the script tag'
export const HOSTS: readonly Host[] = ['the Docusaurus site', 'the served page', 'a page with the script tag']

const ADDRESSES: Record<Host, string> = {
  'the Docusaurus site': `${site}/docs/`,
  'the served page': `${server}/?mode=ephemeral`,
  'a page with the script tag': `${plain}/docs/?mode=ephemeral`,
}

export class Chat {
  readonly launcher: Locator
  readonly panel: Locator
  readonly input: Locator
  readonly send: Locator
  readonly answers: Locator
  readonly questions: Locator
  readonly chips: Locator
  readonly failure: Locator

  constructor(readonly page: Page) {
    this.launcher = page.locator('.cb-launcher')
    this.panel = page.locator('.cb-panel')
    this.input = page.locator('.cb-input')
    this.send = page.getByRole('button', { name: 'Send', exact: true })
    this.answers = page.locator('.cb-answer')
    this.questions = page.locator('.cb-question')
    this.chips = page.locator('a.cb-chip')
    this.failure = page.locator('.cb-failure')
  }

  static async on(host: Host, page: Page): Promise<Chat> {
    await page.goto(ADDRESSES[host])
    return new Chat(page)
  }

  /** The script tag with these `data-…` attributes; its server is the scripted one, and it keeps nothing, unless said. */
  static async withTag(page: Page, attributes: Record<string, string> = {}, path = '/docs/'): Promise<Chat> {
    await page.goto(`${plain}${path}?${new URLSearchParams({ server: scripted, mode: 'ephemeral', ...attributes })}`)
    return new Chat(page)
  }

  async open(): Promise<this> {
    // The served page has its chat open.
    if (!this.page.url().startsWith(server)) await this.launcher.click()
    await expect(this.input).toBeVisible()
    await untilNothingMoves(this.page)
    return this
  }

  /** Opens it where a citation, or a narrow screen, has put the page in its place. */
  async turnTo(): Promise<void> {
    const views = this.page.getByRole('navigation', { name: 'Views' })
    await expect(this.input.or(this.launcher).or(views).filter({ visible: true }).first()).toBeVisible()
    if (await this.input.isVisible()) return
    if (this.page.url().startsWith(server)) await views.getByRole('button', { name: 'Chat' }).click()
    else await this.launcher.click()
    await expect(this.input).toBeVisible()
    await untilNothingMoves(this.page)
  }

  async type(question: string): Promise<void> {
    await this.input.fill(question)
    await this.input.press('Enter')
  }

  /** Asks and waits until the answer is whole. */
  async ask(question: string): Promise<Answer> {
    const before = await this.answers.count()
    await this.page.evaluate(listenToAnswers)
    await this.type(question)
    await expect(this.answers).toHaveCount(before + 1)
    await expect(this.answers.last()).toHaveAttribute('aria-busy', 'false')
    return answerOf(await this.page.evaluate(() => window.answerHeard!))
  }
}

/** Waits for movements that end, such as the panel's rise; on a busy machine they take longer than their time. */
export async function untilNothingMoves(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const roots = [document, document.querySelector('citebook-chat')?.shadowRoot ?? document]
    const movements = roots.flatMap((root) => root.getAnimations())
    const ending = movements.filter(({ effect }) => effect?.getComputedTiming().iterations !== Infinity)
    await Promise.allSettled(ending.map(({ finished }) => finished))
  })
}

/** Keeps a copy of the next answer as it comes over the wire; the browser's own tools keep none of a stream. */
function listenToAnswers(): void {
  const original = window.fetch
  window.fetch = async (...call) => {
    const response = await original(...call)
    if (/\/api\/(ask\/stream|v1\/query)$/.test(String(call[0]))) {
      window.fetch = original
      window.answerHeard = response.clone().text()
    }
    return response
  }
}

function answerOf(stream: string): Answer {
  const frames = stream
    .split('\n\n')
    .filter((frame) => frame.startsWith('data: '))
    .map((frame) => JSON.parse(frame.slice('data: '.length)) as Record<string, unknown>)
  const last = frames.at(-1) ?? {}
  return {
    text: frames.map((frame) => frame.content ?? frame.chunk ?? '').join(''),
    frames: frames.length,
    citations: (last.citations ?? last.sources ?? []) as Citation[],
    outcome: String(last.outcome),
  }
}

export interface Marked {
  /** Formulas in it are their TeX. */
  text: string
  /** What stands before and after it in the blocks that it begins and ends in. */
  before: string
  after: string
  background: string
  isInView: boolean
  isUncovered: boolean
}

/** What is marked as the cited sentence, once nothing scrolls; of a passage beyond this share of the height the first line must be seen. */
export async function markedText(page: Page, share = 0.2): Promise<Marked> {
  await page.waitForFunction(() => CSS.highlights.has('citebook-citation'))
  await untilScrollingEnds(page)
  return page.evaluate((tallest) => {
    const [range] = [...CSS.highlights.get('citebook-citation')!] as [Range]
    const element = range.startContainer.parentElement!
    const places = [...range.getClientRects()].filter((place) => place.width > 1 && place.height > 1)
    const isInside = (place: DOMRect): boolean => place.top >= 0 && place.bottom <= innerHeight && place.left >= 0
    const fits = range.getBoundingClientRect().height < innerHeight * tallest
    const seen = fits ? places : places.slice(0, 1)
    const block = range.commonAncestorContainer
    const isOnTop = (x: number, y: number): boolean => {
      const top = document.elementFromPoint(x, y)
      return top !== null && (top.contains(block) || block.contains(top))
    }
    // A listing or a table that is wider than the page is scrolled sideways by the reader.
    const around = (element: Element | null): Element[] =>
      element ? [element, ...around(element.parentElement)] : []
    const holder = block instanceof Element ? block : block.parentElement!
    const boxes = [...around(holder), ...holder.querySelectorAll('*')]
      .filter((each) => each.scrollWidth > each.clientWidth && /auto|scroll/.test(getComputedStyle(each).overflowX))
      .map((each) => each.getBoundingClientRect())
    // Beyond the page's edge is what only screen readers are told of a formula.
    const isShown = (x: number, y: number): boolean =>
      x < document.documentElement.clientWidth &&
      boxes.every(({ left, right, top, bottom }) => y < top || y > bottom || (x > left && x < right))
    const told = (part: Range): string => {
      const copy = part.cloneContents()
      for (const skipped of copy.querySelectorAll('button, .hash-link, .cb-code-bar')) skipped.remove()
      for (const formula of copy.querySelectorAll('.katex, math')) {
        const tex = formula.querySelector('annotation[encoding="application/x-tex"]')
        if (tex) formula.replaceWith(` ${tex.textContent} `)
      }
      return copy.textContent ?? ''
    }
    const blockOf = (node: Node): Element =>
      (node instanceof Element ? node : node.parentElement!).closest('p, li, td, th, pre, blockquote, summary, div')!
    const [leading, trailing] = [document.createRange(), document.createRange()]
    leading.setStart(blockOf(range.startContainer), 0)
    leading.setEnd(range.startContainer, range.startOffset)
    trailing.setStart(range.endContainer, range.endOffset)
    trailing.setEndAfter(blockOf(range.endContainer))
    return {
      text: told(range),
      before: told(leading),
      after: told(trailing),
      background: getComputedStyle(element, '::highlight(citebook-citation)').backgroundColor,
      isInView: seen.every(isInside),
      isUncovered: seen.every(({ left, right, top, height }) =>
        [left + 2, right - 2].every((x) => !isShown(x, top + height / 2) || isOnTop(x, top + height / 2)),
      ),
    }
  }, share)
}

/** Waits until nothing scrolls any more. */
export async function untilScrollingEnds(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const places = (): string =>
      [scrollY, ...[...document.querySelectorAll('main')].map((element) => element.scrollTop)].join()
    const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 150))
    for (let [before, same] = ['', 0]; same < 3; await pause()) {
      const now = places()
      same = now === before ? same + 1 : 0
      before = now
    }
  })
}

/** A text as a row of words: spaces, marks and markup do not count. */
export function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  )
}
