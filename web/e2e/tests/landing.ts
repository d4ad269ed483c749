/** What is wrong with where a click on a citation has led. */
import { linesMarkedByBrowser } from './browsersMark'
import { type Chat, type Citation, type Host, markedText, untilScrollingEnds, wordsOf } from './chat'

const MARK = 'rgb(255, 226, 122)'
const MILLISECONDS_TO_MARK = 30_000
/** How much of the window's height a passage may take so that all of it is seen, where the chat lies over the page and elsewhere. */
const SHARE_ABOVE_CHAT = 0.33
const SHARE_BESIDE_CHAT = 0.75
/** Below it, where the chat's button stands, nobody reads before they scroll. */
const LOWEST_SHARE = 0.9

export interface Landing {
  host: Host
  chat: Chat
  citation: Citation
  /** Whether the browser has loaded another page, on which the chat is not open. */
  isMarkedByBrowser: boolean
}

/** Nothing where all is right. */
export async function faultsOf({ host, chat, citation, isMarkedByBrowser }: Landing): Promise<string[]> {
  const quote = lettersOf(withoutMarkers(citation.place.text))
  if (isMarkedByBrowser) return faultsOfBrowsersMark(chat, quote)
  if (!(await isMarked(chat))) return [`nothing is marked of “${citation.place.text}”`]
  const marked = await markedText(chat.page, shareOf(host, chat))
  const [before, text, after] = [marked.before.trim(), marked.text.trim(), marked.after.trim()]
  return Object.entries({
    [`marked is “${text}”, not “${citation.place.text}”`]: lettersOf(text) !== quote,
    [`its colour is ${marked.background}`]: marked.background !== MARK,
    'it is not in the window': !marked.isInView,
    'something lies over it': !marked.isUncovered,
    [`it begins behind “${before}”`]: before && !endsSentence(before),
    [`it ends before “${after}”`]: after && !endsSentence(text),
  }).flatMap(([fault, isSo]) => (isSo ? [fault] : []))
}

async function faultsOfBrowsersMark({ page }: Chat, quote: string): Promise<string[]> {
  await untilScrollingEnds(page)
  const lines = await linesMarkedByBrowser(page, quote)
  if (!lines) return ['the page does not have its words']
  const seen = lines.filter(({ share, isInView }) => isInView && share < LOWEST_SHARE)
  if (!lines[0]!.isInView) return ['its first line is not in the window']
  return seen
    .filter(({ isMarked: isLineMarked }) => !isLineMarked)
    .map(({ text }) => `not marked, or covered: “${text}”`)
}

function isMarked({ page }: Chat): Promise<boolean> {
  return page
    .waitForFunction(() => CSS.highlights.has('citebook-citation'), null, { timeout: MILLISECONDS_TO_MARK })
    .then(
      () => true,
      () => false,
    )
}

function shareOf(host: Host, { page }: Chat): number {
  const { width } = page.viewportSize()!
  const isAbove = host !== 'the served page' && width >= 768 && width < 1280
  return isAbove ? SHARE_ABOVE_CHAT : SHARE_BESIDE_CHAT
}

function endsSentence(text: string): boolean {
  return /[.!?:…”")]$/.test(text)
}

/** Letters and digits alone: the page and the quote set their spaces, cells and formulas apart in different ways. */
function lettersOf(text: string): string {
  return wordsOf(text).join('')
}

/** The page draws the numbers and dots of lists itself. */
function withoutMarkers(excerpt: string): string {
  return excerpt.replace(/^\s*(?:\d+[.)]|[-*•])\s+/gm, '')
}
