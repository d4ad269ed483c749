/** A formula: its source until the MathML maker is loaded, MathML from then on, its source again where it is wrong. */
import {
  cloneElement,
  createContext,
  isValidElement,
  memo,
  type ReactElement,
  type ReactNode,
  useContext,
  useMemo,
  useSyncExternalStore,
} from 'react'

type MathmlOf = (source: string, display: boolean) => ReactNode

/** Whether formulas are shown as their source alone. */
export const FormulasAsSource = createContext(false)

let mathmlOf: MathmlOf | null = null
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
    () => mathmlOf,
    () => null,
  )
  const mathml = useMemo(() => make?.(source, display) ?? null, [make, source, display])
  if (isValidElement(mathml) && label !== undefined)
    return cloneElement(mathml as ReactElement, { 'aria-label': label })
  return mathml ?? <FormulaSource source={source} />
})

function FormulaSource({ source }: { source: string }): ReactNode {
  return <code className="cb-formula-source">{source}</code>
}

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

/** Waits until formulas have the form that they keep; what is marked before would be lost with their source. */
export async function formulasDrawn(root: ParentNode): Promise<void> {
  if (root.querySelector('.cb-formula-source')) await loadMaths()
}

function subscribe(notify: () => void): () => void {
  waiting.add(notify)
  if (mathmlOf === null) void loadMaths()
  return () => waiting.delete(notify)
}
