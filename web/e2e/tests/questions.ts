/** Questions about the sample book that it answers, spread over all of its chapters. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { project } from '../folders.mjs'

interface Row {
  id: string
  question: string
  answerable: boolean
  gold_file: string
  style: string
}

function rows(): Row[] {
  const lines = readFileSync(join(project, 'examples/physical-ai/questions.jsonl'), 'utf8').split('\n')
  return lines.filter(Boolean).map((line) => JSON.parse(line) as Row)
}

/** Every so manieth of the direct questions. */
export function questions(count: number): Row[] {
  const direct = rows().filter((row) => row.answerable && row.style === 'direct' && row.gold_file.endsWith('.mdx'))
  return Array.from({ length: count }, (_, index) => direct[Math.floor((index * direct.length) / count)]!)
}
