/** The script tag: `<script src="https://host/widget.js" data-… defer></script>`. */
import { apiOf, type CitebookApi, type PanelModule, startCitebook } from './host/launcher'
import { optionsOfAttributes } from './host/options'

declare global {
  interface Window {
    Citebook?: CitebookApi
  }
}

const script = document.currentScript
if (script instanceof HTMLScriptElement && !window.Citebook) {
  const own = new URL(script.src)
  const panelUrl = new URL('widget-panel.js', own).href
  const options = { server: new URL('.', own).href.replace(/\/$/, ''), ...optionsOfAttributes(script.dataset) }
  // Read anew with each request, so that a site can sign a reader in and out without a new page.
  const getToken = (): string | undefined => script.dataset.token
  const nonce = options.nonce ?? script.nonce
  const start = (): void => {
    const load = (): Promise<PanelModule> => import(/* @vite-ignore */ panelUrl) as Promise<PanelModule>
    window.Citebook = apiOf(startCitebook({ ...options, getToken, ...(nonce ? { nonce } : {}) }, load))
  }
  if (document.body) start()
  else addEventListener('DOMContentLoaded', start)
}
