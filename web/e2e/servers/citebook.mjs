/** The real server with its embedded default, on the sample book and with an empty database. */
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { plain, portOf, project, server, site, state } from '../places.mjs'

const citebook = process.env.CITEBOOK ?? join(project, '.venv/bin/citebook')
const data = join(state, 'data')
const plenty = { anonymous: { questions: 100_000, seconds: 60 } }

mkdirSync(data, { recursive: true })
// What readers did in an earlier run is gone; the index stays, and an ingest finds nothing to do.
for (const ending of ['', '-wal', '-shm']) rmSync(join(data, `citebook.sqlite3${ending}`), { force: true })

const environment = {
  ...process.env,
  CITEBOOK_DATA_DIR: data,
  BOOK_BASE_URL: '/docs',
  CORS_ORIGINS: [site, plain].join(','),
  RATE_LIMIT_ANONYMOUS: '100000',
  POLICIES: JSON.stringify({ ask: plenty, textbook: plenty }),
  LOG_LEVEL: 'warning',
  // A busy machine must not turn into a refusal.
  DEADLINE_SECONDS: '60',
  RETRIEVAL_SECONDS: '30',
  GENERATION_SECONDS: '30',
  STREAM_GAP_SECONDS: '30',
}

const ingested = spawnSync(citebook, ['ingest', join(project, 'examples/physical-ai/docs')], {
  env: environment,
  stdio: ['ignore', 'ignore', 'inherit'],
})
if (ingested.status !== 0) process.exit(1)
const serving = spawn(citebook, ['serve', '--port', String(portOf(server))], {
  env: environment,
  stdio: ['ignore', 'inherit', 'inherit'],
})
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => serving.kill(signal))
serving.on('exit', (code) => process.exit(code ?? 1))
