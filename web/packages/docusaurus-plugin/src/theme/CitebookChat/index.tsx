/** The chat, for sites that place it themselves: in a Root that knows who is signed in, for example. */

import type { GetToken } from '@citebook/client'
import { useHistory } from '@docusaurus/router'
import { usePluginData } from '@docusaurus/useGlobalData'
import { type ReactNode, useEffect, useRef } from 'react'
import { placeChat } from '../../chatOnPages'
import { PLUGIN_NAME } from '../../name'
import type { PluginOptions } from '../../options'

export interface CitebookChatProps {
  /** The token of a reader who is signed in. */
  getToken?: GetToken
}

export default function CitebookChat({ getToken }: CitebookChatProps): ReactNode {
  const options = usePluginData(PLUGIN_NAME) as PluginOptions
  const history = useHistory()
  const given = useRef(getToken)
  useEffect(() => {
    given.current = getToken
  }, [getToken])
  useEffect(
    () =>
      placeChat(
        options,
        (path) => history.push(path),
        () => given.current?.(),
      ),
    [options, history],
  )
  return null
}
