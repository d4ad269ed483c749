/** A server of canned responses behind `fetch`, which remembers what it was asked. */

export interface Request {
  path: string
  method: string
  headers: Headers
  body: Record<string, unknown>
  signal: AbortSignal | null | undefined
}

export type Reply = (request: Request) => Response | Promise<Response>

export class FakeServer {
  readonly requests: Request[] = []
  private readonly replies: Reply[] = []

  /** The next request gets this. */
  next(reply: Reply | Response): this {
    this.replies.push(reply instanceof Response ? () => reply : reply)
    return this
  }

  get last(): Request {
    return this.requests.at(-1)!
  }

  readonly fetch: typeof fetch = async (input, init) => {
    const url = new URL(String(input), 'http://server')
    const request: Request = {
      path: url.pathname + url.search,
      method: init?.method ?? 'GET',
      headers: new Headers(init?.headers),
      body: typeof init?.body === 'string' ? JSON.parse(init.body) : {},
      signal: init?.signal,
    }
    this.requests.push(request)
    const reply = this.replies.shift()
    if (!reply) throw new TypeError('Failed to fetch')
    return reply(request)
  }
}

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json', ...headers } })
}

export function stream(frames: unknown[], headers: Record<string, string> = {}): Response {
  const text = frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join('')
  return new Response(text, { headers: { 'Content-Type': 'text/event-stream', ...headers } })
}

/** A stream that one feeds by hand, and that ends when its request is aborted. */
export function openStream(request: Request): {
  response: Response
  send: (frame: unknown) => void
  end: () => void
} {
  let controller!: ReadableStreamDefaultController<Uint8Array>
  const body = new ReadableStream<Uint8Array>({
    start(given) {
      controller = given
    },
  })
  request.signal?.addEventListener('abort', () => controller.error(new DOMException('Aborted', 'AbortError')))
  return {
    response: new Response(body),
    send: (frame) => controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(frame)}\n\n`)),
    end: () => controller.close(),
  }
}
