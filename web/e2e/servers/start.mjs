/** Starts all servers of a run, each on a port that was free. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { tellAddresses } from '../addresses.mjs'
import { startCitebook } from './citebook.mjs'
import { startScripted } from './scripted.mjs'
import { startPlainSite, startSite } from './sites.mjs'

/** Resolves to where they are and how to stop them. */
export async function startServers(folder) {
  const data = join(folder, 'data')
  mkdirSync(data, { recursive: true })
  const addresses = { data }
  // The sites name the server and the server names the sites: both are asked for the addresses only later.
  const site = await startSite(() => addresses.server)
  const plain = await startPlainSite(() => addresses.server)
  const scripted = await startScripted()
  const server = await startCitebook(data, [site.address, plain.address])
  Object.assign(addresses, {
    server: server.address,
    site: site.address,
    plain: plain.address,
    scripted: scripted.address,
  })
  tellAddresses(addresses)
  const stop = async () => {
    await Promise.all([server, site, plain, scripted].map((each) => each.close()))
  }
  return { ...addresses, stop }
}
