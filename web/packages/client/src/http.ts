/** Requests to one server: no cookies, no cache, errors as `ChatError`. */
import { errorOfResponse, networkError } from './chatError'
import type { TransportOptions } from './transport'

const DEFAULT_SILENCE = 45_000

export interface Call {
  method?: 'GET' | 'POST' | 'DELETE'
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal
}

export class Server {
  readonly address: string
  readonly silence: number
  private readonly fetch: typeof fetch

  /** `always` goes with every request. */
  constructor(
    options: TransportOptions,
    private readonly always: Record<string, string> = {},
  ) {
    this.address = options.server.replace(/\/$/, '')
    this.silence = options.silence ?? DEFAULT_SILENCE
    this.fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init))
  }

  /** A response that is well. */
  async call(path: string, { method = 'POST', body, headers = {}, signal }: Call): Promise<Response> {
    const init: RequestInit = {
      method,
      credentials: 'omit',
      cache: 'no-store',
      headers: { ...this.always, ...headers },
    }
    if (signal) init.signal = signal
    if (body !== undefined) {
      init.body = JSON.stringify(body)
      init.headers = { 'Content-Type': 'application/json', ...this.always, ...headers }
    }
    const response = await this.send(path, init, signal)
    if (!response.ok) throw await errorOfResponse(response)
    return response
  }

  private async send(path: string, init: RequestInit, signal?: AbortSignal): Promise<Response> {
    try {
      return await this.fetch(this.address + path, init)
    } catch (error) {
      signal?.throwIfAborted()
      throw error instanceof TypeError ? networkError() : error
    }
  }
}
