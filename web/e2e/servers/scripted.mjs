/**
 * A server that says what a test tells it to, on the same wire as the real one.
 *
 * PUT /scripts/NAME takes the steps for the question NAME; GET /scripts/NAME tells what became of it. Steps:
 * {text, parts}, {frame}, {raw}, {wait}, {cut}, {status, headers, body}. A script without a frame that ends it is cut off.
 */
import { readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { project } from '../folders.mjs'
import { listen } from './listening.mjs'

const scripts = new Map()
const built = join(project, 'src/citebook/web')
const types = {
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
  '.html': 'text/html; charset=utf-8',
}
const open = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Headers': '*',
  'Access-Control-Allow-Methods': '*',
  'Access-Control-Expose-Headers': 'Retry-After, X-Session-Token',
}
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds))

async function bodyOf(request) {
  const parts = []
  for await (const part of request) parts.push(part)
  return parts.length ? JSON.parse(Buffer.concat(parts).toString()) : {}
}

function sendJson(response, status, value, headers = {}) {
  response.writeHead(status, { 'Content-Type': 'application/json', ...open, ...headers })
  response.end(JSON.stringify(value))
}

const frameOf = (value) => `data: ${JSON.stringify(value)}\n\n`

async function play(script, response, contract) {
  script.asked += 1
  response.on('close', () => {
    script.left ||= !response.writableFinished
  })
  const steps = script.turns[Math.min(script.asked - 1, script.turns.length - 1)]
  for (const step of steps) {
    if (response.destroyed) return
    if (step.status) return sendJson(response, step.status, step.body ?? {}, step.headers)
    if (!response.headersSent) response.writeHead(200, { 'Content-Type': 'text/event-stream', ...open })
    response.write(bytesOf(step, contract))
    if (step.wait) await pause(step.wait)
    if (step.cut) return response.destroy()
  }
  response.end()
}

function bytesOf({ text, parts, frame, raw = '' }, contract) {
  if (text !== undefined) return frameOf({ [contract === 'core' ? 'chunk' : 'content']: text, done: false, parts })
  return frame ? frameOf(frame) : raw
}

const book = {
  contents: {
    title: 'A scripted book',
    chapters: [
      {
        id: 'one',
        title: 'One',
        url: '/docs/one',
        module: 1,
        module_title: 'Basics',
        difficulty: 'beginner',
        tags: ['imu'],
      },
      {
        id: 'two',
        title: 'Two',
        url: '/docs/two',
        module: 2,
        module_title: 'Motion',
        difficulty: 'advanced',
        tags: ['slam', 'imu'],
      },
    ],
  },
  pages: {},
}

/** What the reader whose token is `a-reader` has asked before, oldest last. */
const asked = ['What is a gear?', 'What is a motor?', 'What is a belt?'].map((title, index) => ({
  sessionId: `0000000${index}-0000-4000-8000-000000000000`,
  createdAt: `2026-01-0${5 - index}T09:00:00Z`,
  lastActivityAt: `2026-01-0${5 - index}T09:30:00Z`,
  title,
}))
const isReader = ({ headers }) => headers.authorization === 'Bearer a-reader'

function sendSessions(request, response) {
  const before = new URL(request.url, 'http://scripted').searchParams.get('before')
  const left = asked.filter(({ lastActivityAt }) => !before || Date.parse(lastActivityAt) < Date.parse(before))
  sendJson(response, isReader(request) ? 200 : 404, { sessions: left.slice(0, 2), hasMore: left.length > 2 })
}

function sendSession(request, response, id) {
  const session = isReader(request) ? asked.find(({ sessionId }) => sessionId === id) : undefined
  const message = { id, sessionId: id, role: 'user', content: session?.title, createdAt: session?.createdAt }
  sendJson(response, session ? 200 : 404, { messages: session ? [message] : [] })
}

const routes = {
  async 'PUT /scripts'(request, response, name) {
    const { turns } = await bodyOf(request)
    scripts.set(name, { turns, asked: 0, left: false, bodies: [], authorizations: [] })
    sendJson(response, 200, {})
  },
  'GET /scripts'(_request, response, name) {
    sendJson(response, 200, scripts.get(name) ?? {})
  },
  async 'PUT /book/pages'(request, response, name) {
    book.pages[name] = await bodyOf(request)
    sendJson(response, 200, {})
  },
  'GET /api/v1/chat/sessions': (request, response, name) =>
    name === 'sessions' ? sendSessions(request, response) : sendSession(request, response, name),
  'GET /book/contents': (_request, response) => sendJson(response, 200, book.contents),
  'GET /book/pages': (_request, response, name) =>
    sendJson(response, book.pages[name] ? 200 : 404, book.pages[name] ?? {}),
}

async function answer(request, response, path) {
  const body = await bodyOf(request)
  const script = scripts.get(body.question ?? body.query)
  if (!script) return sendJson(response, 404, { message: 'No such script.' })
  script.bodies.push(body)
  script.authorizations.push(request.headers.authorization ?? null)
  return play(script, response, path === '/api/v1/query' ? 'core' : 'ask')
}

function serveFile(response, path) {
  try {
    const content = readFileSync(join(built, path === '/' || path === '/chat' ? 'index.html' : path))
    response.writeHead(200, { 'Content-Type': types[extname(path) || '.html'], ...open })
    response.end(content)
  } catch {
    sendJson(response, 404, {})
  }
}

export function startScripted() {
  return listen((request, response) => {
    const path = decodeURIComponent(new URL(request.url, 'http://scripted').pathname)
    if (request.method === 'OPTIONS') return response.writeHead(204, open).end()
    const name = path.split('/').at(-1)
    const route =
      routes[`${request.method} ${path}`] ?? routes[`${request.method} ${path.slice(0, -name.length - 1)}`]
    if (route) return route(request, response, name)
    if (request.method === 'POST') return answer(request, response, path)
    return serveFile(response, path)
  })
}
