/** The chat in its corner. Citations are followed by the site's own router, so that the chat stays open. */

import type { GetToken } from '@citebook/client'
import type { Citebook } from '@citebook/widget'
import { useHistory } from '@docusaurus/router'
import { usePluginData } from '@docusaurus/useGlobalData'
import { type ReactNode, useEffect, useRef } from 'react'
import { follower } from '../../followCitations'
import { PLUGIN_NAME } from '../../name'
import type { PluginOptions } from '../../options'
import { globalFunction } from '../../tokens'

interface CitebookChatProps {
  /** The token of a reader who is signed in, for sites that put the chat on their pages themselves. */
  getToken?: GetToken
}

export default function CitebookChat({ getToken }: CitebookChatProps): ReactNode {
  const options = usePluginData(PLUGIN_NAME) as PluginOptions
  const history = useHistory()
  const given = useRef(getToken)
  useEffect(() => {
    given.current = getToken
  }, [getToken])
  useEffect(() => {
    let chat: Citebook | undefined
    let isGone = false
    void import('../../browser/launcher').then(({ startCitebook, showOnThisPage }) => {
      if (isGone) return
      const show = (excerpt: string, hash: string): boolean => showOnThisPage(excerpt, hash, options.content) !== null
      const onNavigate = follower((path) => history.push(path), show)
      const token: GetToken = () => (given.current ?? globalFunction(options.getToken))?.()
      chat = startCitebook({ ...options, getToken: token, onNavigate }, () => import('../../browser/panel'))
    })
    return () => {
      isGone = true
      chat?.destroy()
    }
  }, [options, history])
  return null
}
