/** Docusaurus calls this after each change of the page; the first one puts the chat on the site. */
import globalData from '@generated/globalData'
import { startChat } from './chatOnPages'
import { pageIsDrawn } from './followCitations'
import { PLUGIN_NAME } from './name'
import type { PluginOptions } from './options'

export function onRouteDidUpdate({ location }: { location: { pathname: string } }): void {
  const options = globalData[PLUGIN_NAME]?.default as PluginOptions | undefined
  // A component of the site that places the chat itself is drawn in the same turn.
  if (options) setTimeout(() => startChat(options))
  pageIsDrawn(location.pathname)
}
