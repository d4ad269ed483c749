/** The one chat of a site: started by the plugin's client module, or by a `<CitebookChat />` that the site has placed. */
import type { GetToken } from '@citebook/client'
import type { Citebook, CitebookApi } from '@citebook/widget'
import { follower } from './followCitations'
import type { PluginOptions } from './options'
import { globalFunction } from './tokens'

declare global {
  interface Window {
    Citebook?: CitebookApi
  }
}

let isPlaced = false
let chat: Promise<Citebook> | undefined

/** The site places the chat itself, with a token of its own; returns how to take it away. */
export function placeChat(options: PluginOptions, push: (path: string) => void, token: GetToken): () => void {
  isPlaced = true
  chat ??= started(options, push, token)
  return () => {
    isPlaced = false
    void chat?.then((one) => one.destroy())
    delete window.Citebook
    chat = undefined
  }
}

/** On every page, where the site has not placed it; once. */
export function startChat(options: PluginOptions): void {
  if (!isPlaced) chat ??= started(options, goBySite)
}

async function started(options: PluginOptions, push: (path: string) => void, token?: GetToken): Promise<Citebook> {
  const { apiOf, startCitebook, showOnThisPage } = await import('./browser/launcher')
  const show = (excerpt: string, hash: string): boolean => showOnThisPage(excerpt, hash, options.content) !== null
  const getToken: GetToken = () => (token?.() ?? globalFunction(options.getToken)?.()) as ReturnType<GetToken>
  const started = startCitebook(
    { ...options, getToken, onNavigate: follower(push, show) },
    () => import('./browser/panel'),
  )
  window.Citebook = apiOf(started)
  return started
}

/** The site's router hears of it as of any step of the browser: it has no other door for what is no component. */
function goBySite(path: string): void {
  const state = { key: Math.random().toString(36).slice(2, 8) }
  history.pushState(state, '', path)
  dispatchEvent(new PopStateEvent('popstate', { state }))
}
