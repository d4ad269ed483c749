/** Tells the scripted server what to say to a question. */
import type { AnswerPart } from '@citebook/client'
import { sentence } from '../../packages/widget/test/blocks'
import { scripted } from '../addresses.mjs'

export interface Step {
  /** A piece of the answer, in a frame of its own. */
  text?: string
  /** What it is as blocks. */
  parts?: AnswerPart[]
  frame?: Record<string, unknown>
  raw?: string
  wait?: number
  cut?: boolean
  status?: number
  headers?: Record<string, string>
  body?: unknown
}

export interface Outcome {
  asked: number
  /** Whether the reader's browser left before the answer had ended. */
  left: boolean
  bodies: Record<string, unknown>[]
  authorizations: (string | null)[]
}

let count = 0

/** A question that no other test asks; each list of steps is one turn of it. */
export async function scriptedQuestion(...turns: Step[][]): Promise<string> {
  count += 1
  const name = `question ${process.pid} ${count}`
  await put(`/scripts/${encodeURIComponent(name)}`, { turns })
  return name
}

export async function scriptedPage(page: Record<string, unknown>): Promise<void> {
  await put('/book/pages/one', page)
}

export async function whatBecameOf(question: string): Promise<Outcome> {
  return (await (await fetch(`${scripted}/scripts/${encodeURIComponent(question)}`)).json()) as Outcome
}

/** A sentence, as text and as a part of the answer. */
export function say(text: string, citation: number | null = null): Step {
  return { text, parts: [sentence(text.trim(), citation)] }
}

export function ending(more: Record<string, unknown> = {}): Step {
  return {
    frame: { content: '', chunk: '', done: true, citations: [], confidence: 0.9, outcome: 'answered', ...more },
  }
}

export const CITATION = {
  chapter: 'intro',
  chapter_title: 'About this book',
  source_file: 'intro.mdx',
  excerpt: 'You do not need a robot.',
  section_title: 'Who this book is for',
  url: '/docs/#who-this-book-is-for',
}

async function put(path: string, body: unknown): Promise<void> {
  const response = await fetch(scripted + path, { method: 'PUT', body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`The scripted server said ${response.status}`)
}
