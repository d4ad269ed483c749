/** The chat in its corner. Citations are followed by the site's own router, so that the chat stays open. */

import type { Citebook } from '@citebook/widget'
import { useHistory } from '@docusaurus/router'
import { usePluginData } from '@docusaurus/useGlobalData'
import { type ReactNode, useEffect } from 'react'
import { follower } from '../../followCitations'
import { PLUGIN_NAME } from '../../name'
import type { PluginOptions } from '../../options'

export default function CitebookChat(): ReactNode {
  const options = usePluginData(PLUGIN_NAME) as PluginOptions
  const history = useHistory()
  useEffect(() => {
    let chat: Citebook | undefined
    let isGone = false
    void import('../../browser/launcher').then(({ startCitebook, showOnThisPage }) => {
      if (isGone) return
      const show = (excerpt: string, hash: string): boolean => showOnThisPage(excerpt, hash, options.content) !== null
      const onNavigate = follower((path) => history.push(path), show)
      chat = startCitebook({ ...options, onNavigate }, () => import('../../browser/panel'))
    })
    return () => {
      isGone = true
      chat?.destroy()
    }
  }, [options, history])
  return null
}
