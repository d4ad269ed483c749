/** What every part of the chat can reach. */
import type { Book, Citation, FilterChoices } from '@citebook/client'
import { createContext, useContext, useSyncExternalStore } from 'react'
import { useStore } from 'zustand'
import type { Announce } from '../host/announcing'
import type { Here, PageHere } from '../host/here'
import type { ChatActions, ChatState, ChatStore } from '../store/chatState'

export interface Chat {
  store: ChatStore
  /** The book's title. */
  title: string
  examples: string[]
  /** What questions can be limited to. */
  choices: FilterChoices
  /** What the book's addresses are relative to. */
  bookUrl: string
  book: Pick<Book, 'search' | 'questions'>
  here: Here
  announce: Announce
  /** The address of a citation's place, where the book is shown by the chat's own page and not by a site. */
  hrefOf?(citation: Citation): string
  /** Goes to a citation's place in the book. */
  follow(citation: Citation): void
  /** Opens the box that searches the book, where there is one. */
  search?(): void
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

/** The page of the book that the reader has before them. */
export function useHere(): PageHere {
  const { here } = useChat()
  return useSyncExternalStore(here.subscribe, here.current)
}

/** The question that a message answers. */
export function useQuestionBefore(id: string): string | undefined {
  return useChatState(({ messages }) => {
    const before = messages[messages.findIndex((message) => message.id === id) - 1]
    return before?.role === 'user' ? before.content : undefined
  })
}
