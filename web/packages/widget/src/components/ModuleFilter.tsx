/** Limits questions to one module of the book. Only stored conversations can be limited, so the choice is shown there alone. */
import type { ReactNode } from 'react'
import { useActions, useChat, useChatState } from './ChatContext'

export function ModuleFilter(): ReactNode {
  const { modules, store } = useChat()
  const { setModule } = useActions()
  const module = useChatState((state) => state.module)
  const hasPassage = useChatState((state) => state.passage !== null)
  if (!modules.length || store.mode !== 'persistent' || hasPassage) return null
  return (
    <select
      className="cb-module"
      aria-label="Part of the book"
      value={module ?? ''}
      onChange={(event) => setModule(event.target.value ? Number(event.target.value) : null)}
    >
      <option value="">Whole book</option>
      {modules.map(({ number, title }) => (
        <option key={number} value={number}>
          {title}
        </option>
      ))}
    </select>
  )
}
