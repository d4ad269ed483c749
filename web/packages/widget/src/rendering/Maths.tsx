/** A formula: its source until the MathML maker is loaded, MathML from then on, its source again where it is wrong. */

import {
  cloneElement,
  isValidElement,
  memo,
  type ReactElement,
  type ReactNode,
  useMemo,
  useSyncExternalStore,
} from 'react'

type MathmlOf = (source: string, display: boolean) => ReactNode

let mathmlOf: MathmlOf | null = null
let loading: Promise<void> | null = null
const waiting = new Set<() => void>()

interface MathsProps {
  source: string
  display: boolean
  /** For a place where a formula alone must name something, which MathML does not do by itself. */
  label?: string
}

export const Maths = memo(function Maths({ source, display, label }: MathsProps): ReactNode {
  const make = useSyncExternalStore(
    subscribe,
    () => mathmlOf,
    () => null,
  )
  const mathml = useMemo(() => make?.(source, display) ?? null, [make, source, display])
  if (isValidElement(mathml) && label !== undefined)
    return cloneElement(mathml as ReactElement, { 'aria-label': label })
  return mathml ?? <code className="cb-formula-source">{source}</code>
})

/** Loads the MathML maker once; a failure is tried again by the next formula that is shown. */
export function loadMaths(): Promise<void> {
  loading ??= import('./mathml').then(
    (module) => {
      mathmlOf = module.mathmlOf
      for (const notify of waiting) notify()
    },
    () => {
      loading = null
    },
  )
  return loading
}

function subscribe(notify: () => void): () => void {
  waiting.add(notify)
  if (mathmlOf === null) void loadMaths()
  return () => waiting.delete(notify)
}
