import type { Message } from '@citebook/client'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ChatStore, createChatStore } from '../src/store/chatStore'
import { ScriptedTransport } from './scriptedTransport'

let transport: ScriptedTransport
let store: ChatStore

function start(): void {
  transport = new ScriptedTransport('tab')
  store = createChatStore(transport)
}

const state = () => store.getState()

beforeEach(() => start())
afterEach(() => store.actions.destroy())

describe('a chat of the tab', () => {
  const earlier: Message[] = [
    { id: '1', role: 'user', content: 'What is a gear?', timestamp: new Date(1000) },
    { id: '2', role: 'assistant', content: 'A wheel.', timestamp: new Date(2000), rating: 'up' },
  ]

  it('goes on where it was, with what the reader had begun to type', async () => {
    transport.kept = earlier
    transport.keptDraft = 'and a'
    await store.actions.load()
    expect(state().messages).toEqual(earlier)
    expect(state().draft).toBe('and a')
    store.actions.ask('And a cog?')
    expect(transport.asked[0]!.history).toEqual([{ question: 'What is a gear?', answer: 'A wheel.' }])
  })

  it('is remembered with every change, but not before it is known what was kept', async () => {
    start()
    store.actions.ask('Too early?')
    expect(transport.remembered).toEqual([])
    start()
    await store.actions.load()
    store.actions.ask('What is it?')
    await transport.say('A gear.')
    await transport.finish()
    expect(transport.remembered.at(-1)!.messages.map(({ content }) => content)).toEqual(['What is it?', 'A gear.'])
    store.actions.setDraft('and then')
    dispatchEvent(new Event('pagehide'))
    expect(transport.remembered.at(-1)!.draft).toBe('and then')
  })

  it('is forgotten when the reader ends it', async () => {
    start()
    transport.kept = earlier
    await store.actions.load()
    await store.actions.clearHistory()
    expect(transport.forgotten).toBe(1)
    expect(state().messages).toEqual([])
    expect(transport.remembered.at(-1)!.messages).toEqual([])
  })

  it('only minimises a chat of the tab: its answer goes on', async () => {
    start()
    store.actions.ask('First?')
    await transport.say('Half')
    store.actions.close()
    await transport.say(' and whole.')
    await transport.finish()
    expect(state().messages.at(-1)).toMatchObject({ content: 'Half and whole.', isStreaming: false })
  })
})
