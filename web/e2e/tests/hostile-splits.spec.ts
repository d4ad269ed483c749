/** Hostile answers, split at every byte: no state in between makes an element, a request or a link that it should not.
 *
 * The network alone is replaced, because a socket joins what was sent apart: the page's `fetch` gives exactly these
 * pieces to the chat's own stream reader, store and renderer. BROWSERTEST_FULL=1 takes all payloads, else one in twenty.
 */

import { expect, type Page, test } from '@playwright/test'
import { Chat } from './chat'
import { askAll, batches, expectHarmless, guard, watch } from './harmless'
import { VARIED_PAYLOADS } from './payloads'

const BATCH = 40
/** Of one answer. */
const SPLITS = 200
const STEP = process.env.BROWSERTEST_FULL ? 1 : 20
const CHOSEN = VARIED_PAYLOADS.filter((_, index) => index % STEP === 0)

/** From here on each payload is a question, whose answer says it again and again, split at another place each time.
 *
 * At each byte of the text in its frame the stream is cut; at each character the text is parted into two frames.
 */
async function answerByEverySplit(page: Page): Promise<void> {
  await page.evaluate(() => {
    const encoder = new TextEncoder()
    const counted = { splits: 0 }
    const frame = (text: string, more: object): Uint8Array =>
      encoder.encode(`data: ${JSON.stringify({ content: text, done: false, ...more })}\n\n`)
    const said = (text: string): Uint8Array =>
      frame(text, { parts: [{ blocks: [{ kind: 'paragraph', text: [{ text, marks: [] }] }], citation: null }] })

    /** A pair of pieces for each split. */
    function* splitsOf(payload: string): Generator<[Uint8Array, Uint8Array]> {
      const whole = said(payload)
      for (const at of placesIn(payload)) yield [whole.slice(0, at), whole.slice(at)]
      let before = ''
      for (const character of payload) {
        before += character
        yield [said(before), said(payload.slice(before.length))]
      }
    }

    function* piecesOf(payload: string, from: number, to: number): Generator<Uint8Array> {
      let number = 0
      for (const pieces of splitsOf(payload)) {
        if (number >= from && number < to) {
          yield* pieces
          counted.splits += 1
        }
        number += 1
      }
      yield frame('', { done: true, citations: [], confidence: 0.9, outcome: 'answered' })
    }

    /** Each byte of the text, as it stands in its frame. */
    function placesIn(payload: string): number[] {
      const opening = encoder.encode('data: {"content":"').length
      return Array.from(encoder.encode(JSON.stringify(payload)).slice(2), (_, place) => opening + place)
    }

    const channel = new MessageChannel()
    const nextTask = (): Promise<void> =>
      new Promise((resolve) => {
        channel.port1.onmessage = () => resolve()
        channel.port2.postMessage(null)
      })
    const network = window.fetch.bind(window)
    window.fetch = async (input, init) => {
      if (!String(input).endsWith('/api/ask/stream')) return network(input, init)
      const { question } = JSON.parse(String(init?.body)) as { question: string }
      const [number, from, to] = question.split(' ').slice(1).map(Number) as [number, number, number]
      const pieces = piecesOf(window.__payloads![number]!, from, to)
      const body = new ReadableStream<Uint8Array>({
        async pull(stream) {
          await nextTask()
          const { value, done } = pieces.next()
          if (done) stream.close()
          else stream.enqueue(value)
        },
      })
      return new Response(body, { headers: { 'Content-Type': 'text/event-stream' } })
    }
    window.__counted = counted
  })
}

/** A payload by its number in the batch, and which of its splits: an answer with thousands of them takes minutes. */
function questionsOf(payload: string, number: number): string[] {
  const answers = Math.ceil(splitsOf(payload) / SPLITS)
  return Array.from({ length: answers }, (_, index) => `payload ${number} ${index * SPLITS} ${(index + 1) * SPLITS}`)
}

function splitsOf(payload: string): number {
  return new TextEncoder().encode(JSON.stringify(payload)).length - 2 + [...payload].length
}

for (const [index, batch] of batches(CHOSEN, BATCH).entries()) {
  test(`hostile answers, split at every byte (${index + 1})`, async ({ page }) => {
    test.setTimeout(1_800_000)
    const chat = await Chat.withTag(page)
    const seen = watch(page)
    await chat.open()
    await guard(page)
    await page.evaluate((payloads) => {
      window.__payloads = payloads
    }, batch)
    await answerByEverySplit(page)
    const shown = await askAll(page, batch.flatMap(questionsOf))
    await expectHarmless(page, seen)
    expect(shown).not.toContain('no answer')
    const splits = await page.evaluate(() => window.__counted!.splits)
    expect(splits).toBe(batch.reduce((sum, payload) => sum + splitsOf(payload), 0))
    test.info().annotations.push({ type: 'payloads', description: String(batch.length) })
    test.info().annotations.push({ type: 'splits', description: String(splits) })
  })
}
