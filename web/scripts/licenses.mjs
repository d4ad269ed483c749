/** Collects the licences of what is bundled: the built files may be passed on only with them. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { byCodeUnits } from './sources.mjs'

const packageFolder = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//

export function licenseCollector() {
  const folders = new Set()
  const plugin = {
    name: 'citebook-licenses',
    generateBundle(_, bundle) {
      for (const chunk of Object.values(bundle)) {
        for (const id of chunk.type === 'chunk' ? chunk.moduleIds : []) {
          const folder = packageFolder.exec(id.replaceAll('\\', '/').replace(/^\0+/, ''))?.[1]
          if (folder) folders.add(folder)
        }
      }
    },
  }
  return {
    plugin,
    text: () => `${[...new Set([...folders].map(noticeOf))].sort(byCodeUnits).join(`\n${'-'.repeat(80)}\n`)}`,
  }
}

function noticeOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  if (!file) throw new Error(`${name} comes without a licence file`)
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
}
