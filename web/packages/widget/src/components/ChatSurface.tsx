/** The chat as a whole: what is said above it, the conversation, and where one types. */
import { type ReactNode, useRef, useState } from 'react'
import { Composer } from './Composer'
import { ConfirmClear } from './ConfirmClear'
import { Conversation } from './Conversation'
import { Conversations } from './Conversations'
import { Header } from './Header'
import { PopoverLayer } from './PopoverLayer'
import { SpokenAnswer } from './SpokenAnswer'
import { SurfaceContext } from './surface'

export interface ChatSurfaceProps {
  /** Shows a close button, which calls this. */
  onClose?: () => void
  titleId?: string
}

export function ChatSurface({ onClose, titleId = 'cb-title' }: ChatSurfaceProps): ReactNode {
  const surface = useRef<HTMLDivElement>(null)
  const [cover, setCover] = useState<'clear' | 'conversations' | null>(null)
  const uncover = (): void => setCover(null)
  return (
    <div className="cb-surface" ref={surface}>
      <SurfaceContext.Provider value={surface}>
        <PopoverLayer>
          <Header
            titleId={titleId}
            onClear={() => setCover('clear')}
            onList={() => setCover('conversations')}
            {...(onClose ? { onClose } : {})}
          />
          <Conversation />
          <Composer />
          <SpokenAnswer />
          {cover === 'clear' && <ConfirmClear onDone={uncover} />}
          {cover === 'conversations' && <Conversations onDone={uncover} />}
        </PopoverLayer>
      </SurfaceContext.Provider>
    </div>
  )
}
