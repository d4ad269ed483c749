/** Finds the function that a site names in its options. */
import type { GetToken } from '@citebook/client'

/** `site.account.token` of `window`; nothing where it is not there (yet), or no function. */
export function globalFunction(name: string | undefined): GetToken | undefined {
  if (!name) return undefined
  const path = name.split('.')
  const owner = path.slice(0, -1).reduce<unknown>(fieldOf, globalThis)
  const found = fieldOf(owner, path.at(-1)!)
  return typeof found === 'function' ? () => found.call(owner) : undefined
}

function fieldOf(value: unknown, name: string): unknown {
  return value === null || value === undefined ? undefined : (value as Record<string, unknown>)[name]
}
