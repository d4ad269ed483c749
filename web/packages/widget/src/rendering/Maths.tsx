/** A formula: its source until the MathML maker is loaded, MathML from then on, its source again where it is wrong. */
import { createContext, createElement, memo, type ReactNode, useContext, useMemo, useSyncExternalStore } from 'react'
import type { MathElement, mathmlOf } from './mathml'

/** Whether formulas are shown as their source alone. */
export const FormulasAsSource = createContext(false)

let maker: typeof mathmlOf | null = null
let loading: Promise<void> | null = null
const waiting = new Set<() => void>()

interface MathsProps {
  source: string
  display: boolean
  /** For a place where a formula alone must name something, which MathML does not do by itself. */
  label?: string | undefined
}

export function Maths(props: MathsProps): ReactNode {
  return useContext(FormulasAsSource) ? <FormulaSource source={props.source} /> : <Formula {...props} />
}

const Formula = memo(function Formula({ source, display, label }: MathsProps): ReactNode {
  const make = useSyncExternalStore(
    subscribe,
    () => maker,
    () => null,
  )
  const mathml = useMemo(() => make?.(source, display), [make, source, display])
  if (!mathml) return <FormulaSource source={source} />
  return elementOf(
    label === undefined ? mathml : { ...mathml, attributes: { ...mathml.attributes, 'aria-label': label } },
  )
})

function elementOf({ name, attributes: { class: className, ...others }, children }: MathElement): ReactNode {
  const inner = children.map((child) => (typeof child === 'string' ? child : elementOf(child)))
  return createElement(name, { ...others, className }, ...inner)
}

function FormulaSource({ source }: { source: string }): ReactNode {
  return <code className="cb-formula-source">{source}</code>
}

/** Loads the MathML maker once; a failure is tried again by the next formula that is shown. */
export function loadMaths(): Promise<void> {
  loading ??= import('./mathml').then(
    (module) => {
      maker = module.mathmlOf
      for (const notify of waiting) notify()
    },
    () => {
      loading = null
    },
  )
  return loading
}

/** Waits until formulas have the form that they keep; what is marked before would be lost with their source. */
export async function formulasDrawn(root: ParentNode): Promise<void> {
  if (root.querySelector('.cb-formula-source')) await loadMaths()
}

function subscribe(notify: () => void): () => void {
  waiting.add(notify)
  if (maker === null) void loadMaths()
  return () => waiting.delete(notify)
}
