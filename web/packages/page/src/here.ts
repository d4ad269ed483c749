/** Which chapter the reader has before them on this page. */
import type { Here, PageHere } from '@citebook/widget'

const NOWHERE: PageHere = { title: '' }

export class HereOnPage implements Here {
  private page = NOWHERE
  private readonly listeners = new Set<() => void>()

  move(page: PageHere | undefined): void {
    this.page = page ?? NOWHERE
    for (const listener of this.listeners) listener()
  }

  current = (): PageHere => this.page

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }
}
