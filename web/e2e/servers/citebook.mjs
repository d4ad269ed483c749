/** The real server with its embedded default, on the sample book and with an empty database. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { project, state } from '../folders.mjs'

const citebook = process.env.CITEBOOK ?? join(project, '.venv/bin/citebook')
const kept = join(state, 'index')
const plenty = { anonymous: { questions: 100_000, seconds: 60 } }
/** What the tokens of readers are signed with. */
export const SECRET = 'a secret of the browser tests alone'
const MILLISECONDS_TO_STOP = 20_000

function environmentOf(data, origins) {
  return {
    ...process.env,
    CITEBOOK_DATA_DIR: data,
    BOOK_BASE_URL: '/docs',
    CORS_ORIGINS: origins.join(','),
    RATE_LIMIT_ANONYMOUS: '100000',
    JWT_SECRET: SECRET,
    POLICIES: JSON.stringify({ ask: plenty, textbook: plenty }),
    LOG_LEVEL: 'warning',
    // A busy machine must not turn into a refusal.
    DEADLINE_SECONDS: '240',
    RETRIEVAL_SECONDS: '120',
    GENERATION_SECONDS: '120',
    STREAM_GAP_SECONDS: '120',
  }
}

/** Makes the index in the run's own folder; an ingest finds little to do where an earlier run has kept one. */
async function ingest(data, environment) {
  takeKept(data)
  await promisify(execFile)(citebook, ['ingest', join(project, 'examples/physical-ai/docs')], { env: environment })
  keep(data)
}

function takeKept(data) {
  try {
    cpSync(kept, data, { recursive: true })
  } catch {
    // There is none, or another run is putting a newer one in its place: all of the book is read.
    rmSync(data, { recursive: true, force: true })
  }
}

/** Another run may keep its own at the same moment; either is good. */
function keep(data) {
  const [copy, old] = ['new', 'old'].map((name) => `${kept}-${name}-${process.pid}`)
  mkdirSync(state, { recursive: true })
  cpSync(data, copy, { recursive: true })
  try {
    if (existsSync(kept)) renameSync(kept, old)
    renameSync(copy, kept)
  } catch {
    rmSync(copy, { recursive: true, force: true })
  }
  rmSync(old, { recursive: true, force: true })
}

/** The address that the server tells once it listens. */
async function addressOf(serving) {
  for await (const line of createInterface({ input: serving.stderr })) {
    const told = /answers at (http:\/\/\S+)/.exec(line)
    if (told) return told[1]
    console.error(line)
  }
  throw new Error('The server ended before it listened.')
}

async function stop(serving) {
  if (serving.exitCode !== null) return
  serving.kill('SIGTERM')
  const impatient = setTimeout(() => serving.kill('SIGKILL'), MILLISECONDS_TO_STOP)
  await once(serving, 'exit')
  clearTimeout(impatient)
}

export async function startCitebook(data, origins) {
  const environment = environmentOf(data, origins)
  await ingest(data, environment)
  const serving = spawn(citebook, ['serve', '--port', '0'], {
    env: environment,
    stdio: ['ignore', 'inherit', 'pipe'],
  })
  const killed = () => serving.kill('SIGKILL')
  process.on('exit', killed)
  const address = await addressOf(serving)
  serving.stderr.pipe(process.stderr)
  const close = async () => {
    process.off('exit', killed)
    await stop(serving)
  }
  return { address, close }
}
