/** The page that a Citebook server shows at `/` and `/chat`. */
import { createRoot } from 'react-dom/client'
import { App } from './App'

createRoot(document.getElementById('app')!).render(
  <App opensChat={location.pathname.replace(/\/$/, '').endsWith('/chat')} />,
)
