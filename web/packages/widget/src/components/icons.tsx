/** Line icons, drawn for this chat. They are decoration: the buttons carry the words. */
import type { ReactNode } from 'react'

const PATHS = {
  close: 'M6 6l12 12M18 6L6 18',
  minimise: 'M6 17h12',
  send: 'M12 19V5M6 11l6-6 6 6',
  stop: 'M8 8h8v8H8z',
  newChat: 'M12 5H7a2 2 0 0 0-2 2v10a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2v-5M16.5 4.5l3 3L13 14H10v-3z',
  trash: 'M5 7h14M10 7V5h4v2M7 7l1 12h8l1-12M10 11v5M14 11v5',
  copy: 'M9 9h9v11H9zM6 15H5V4h9v1',
  done: 'M5 12.5l4.5 4.5L19 7.5',
  up: 'M8 11v9H5v-9zM8 11l3.5-7c1.6 0 2.5 1 2.5 2.4V10h4.2c1.2 0 2 1.1 1.7 2.2l-1.5 6c-.3 1-1.1 1.8-2.2 1.8H8',
  down: 'M16 13V4h3v9zM16 13l-3.5 7c-1.6 0-2.5-1-2.5-2.4V14H5.800c-1.2 0-2-1.1-1.7-2.200l1.500-6c.3-1 1.100-1.800 2.200-1.800H16',
  latest: 'M12 5v14M6 13l6 6 6-6',
  warning: 'M12 4.500L21 19.500H3zM12 10v4.500M12 17v.1',
  book: 'M12 6.500C10 5 7.500 4.500 4 4.500v13c3.500 0 6 .5 8 2 2-1.500 4.500-2 8-2v-13c-3.500 0-6 .5-8 2zM12 6.500v13',
  quote: 'M6 6h5v6c0 3-1.500 5-4 6M14 6h5v6c0 3-1.500 5-4 6',
  retry: 'M5 12a7 7 0 1 0 2.200-5.100M5 4.500V8h3.500',
  history: 'M12 8v4.500l3 1.800M4.500 5v4h4M4.800 9a8 8 0 1 1-.6 4.500',
  filter: 'M4 6.500h16M7 12h10M10 17.500h4',
  find: 'M10.5 4.500a6 6 0 1 0 0 12 6 6 0 0 0 0-12M15 15l5 5',
  ask: 'M4 5.500A2 2 0 0 1 6 3.500h12a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2h-7l-5 4.500v-4.500a2 2 0 0 1-2-2z',
  section: 'M6 4h9l4 4v12H6zM9.500 11h6M9.500 15h6',
  link: 'M10 14a4 4 0 0 0 5.700 0l3-3a4 4 0 0 0-5.700-5.700l-1 1M14 10a4 4 0 0 0-5.700 0l-3 3a4 4 0 0 0 5.700 5.700l1-1',
  go: 'M7 17L17 7M9 7h8v8',
} as const

export function Icon({ name }: { name: keyof typeof PATHS }): ReactNode {
  return (
    <svg className="cb-icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  )
}
