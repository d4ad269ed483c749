/** The transport that keeps a chat as its mode says. */
import { EphemeralTransport } from './ephemeralTransport'
import { PersistentTransport } from './persistentTransport'
import { TabTransport } from './tabTransport'
import type { Mode, Transport, TransportOptions } from './transport'

export function transportFor(mode: Mode, options: TransportOptions): Transport {
  switch (mode) {
    case 'tab':
      return new TabTransport(options)
    case 'ephemeral':
      return new EphemeralTransport(options)
    case 'persistent':
      return new PersistentTransport(options)
  }
}
