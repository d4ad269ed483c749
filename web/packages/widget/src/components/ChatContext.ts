/** What every part of the chat can reach. */
import type { Citation, FilterChoices } from '@citebook/client'
import { createContext, useContext } from 'react'
import { useStore } from 'zustand'
import type { ChatActions, ChatState, ChatStore } from '../store/chatStore'

export interface Chat {
  store: ChatStore
  /** The book's title. */
  title: string
  examples: string[]
  /** What questions can be limited to. */
  choices: FilterChoices
  /** What the book's addresses are relative to. */
  bookUrl: string
  /** The address of a citation's place, where the book is shown by the chat's own page and not by a site. */
  hrefOf?(citation: Citation): string
  /** Goes to a citation's place in the book. */
  follow(citation: Citation): void
}

export const ChatContext = createContext<Chat | null>(null)

export function useChat(): Chat {
  const chat = useContext(ChatContext)
  if (!chat) throw new Error('a part of the chat stands outside of ChatContext')
  return chat
}

export function useChatState<T>(select: (state: ChatState) => T): T {
  return useStore(useChat().store, select)
}

export function useActions(): ChatActions {
  return useChat().store.actions
}
