/** Every page of the site, with the chat. A site that has a Root of its own puts `<CitebookChat />` into it. */
import CitebookChat from '@theme/CitebookChat'
import type { ReactNode } from 'react'

export default function Root({ children }: { children: ReactNode }): ReactNode {
  return (
    <>
      {children}
      <CitebookChat />
    </>
  )
}
