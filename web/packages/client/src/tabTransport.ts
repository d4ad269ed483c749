/** A chat that this tab alone keeps: it is there after a page change and a reload, and nowhere else. */
import { EphemeralTransport } from './ephemeralTransport'
import { KeptChats } from './keptChats'
import type { TransportOptions } from './transport'
import type { Message } from './types'

export class TabTransport extends EphemeralTransport {
  override readonly mode = 'tab'
  private readonly kept: KeptChats

  constructor(options: TransportOptions) {
    super(options)
    this.kept = new KeptChats(options.server.replace(/\/$/, ''), options.storage ?? sessionStorageIfAny)
  }

  override history(): Promise<Message[]> {
    return Promise.resolve(this.kept.messages())
  }

  override draft(): string {
    return this.kept.draft()
  }

  override remember(messages: Message[], draft: string): void {
    this.kept.keep(messages, draft)
  }

  override startAnew(): void {
    this.kept.remove()
  }

  override forget(): Promise<void> {
    this.kept.remove()
    return Promise.resolve()
  }
}

/** Reading `sessionStorage` itself throws where a browser forbids it. */
function sessionStorageIfAny(): Storage | undefined {
  try {
    return globalThis.sessionStorage
  } catch {
    return undefined
  }
}
