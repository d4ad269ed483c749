/** The book itself: its chapters and pages. */
import { Server } from './http'
import type { TransportOptions } from './transport'
import type { Schemas } from './wireTypes'

export type BookContents = Schemas['Contents']
export type BookPage = Schemas['Page']

export interface BookModule {
  number: number
  title: string
}

export class Book {
  private readonly server: Server

  constructor(options: TransportOptions) {
    this.server = new Server(options)
  }

  async contents(signal?: AbortSignal): Promise<BookContents> {
    return (await this.get('/book/contents', signal)) as BookContents
  }

  async page(chapterId: string, signal?: AbortSignal): Promise<BookPage> {
    const path = chapterId.split('/').map(encodeURIComponent).join('/')
    return (await this.get(`/book/pages/${path}`, signal)) as BookPage
  }

  private async get(path: string, signal?: AbortSignal): Promise<unknown> {
    const response = await this.server.call(path, { method: 'GET', ...(signal ? { signal } : {}) })
    return response.json()
  }
}

/** The modules that questions can be limited to, in the order of the book. */
export function modulesOf({ chapters }: BookContents): BookModule[] {
  const titles = new Map<number, string>()
  for (const { module, module_title: title } of chapters) {
    if (typeof module === 'number' && !titles.has(module)) titles.set(module, title ?? `Module ${module}`)
  }
  return [...titles].map(([number, title]) => ({ number, title }))
}
