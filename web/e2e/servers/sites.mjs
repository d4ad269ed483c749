/** Two sites with the sample book: the built Docusaurus site, and a plain one whose pages have the script tag. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { extname, join, normalize } from 'node:path'
import { here } from '../folders.mjs'
import { listen } from './listening.mjs'

const built = join(here, 'site/build')
const types = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
}

function fileOf(pathname) {
  const path = join(built, normalize(decodeURIComponent(pathname)))
  if (!path.startsWith(built)) return
  return [path, join(path, 'index.html'), `${path}.html`].find((each) => existsSync(each) && statSync(each).isFile())
}

/** The site is built once, for a server at this address; the server of the run takes its place in what is sent. */
export const BUILT_FOR = 'http://citebook.invalid'

export function startSite(serverAddress) {
  return listen((request, response) => {
    const path = fileOf(pathOf(request))
    const type = types[extname(path ?? '.html')] ?? 'application/octet-stream'
    const caching = /\/assets\//.test(path ?? '') ? 'max-age=3600' : 'no-store'
    const content = readFileSync(path ?? join(built, '404.html'))
    response.writeHead(path ? 200 : 404, { 'Content-Type': type, 'Cache-Control': caching })
    response.end(type === types['.js'] ? String(content).replaceAll(BUILT_FOR, serverAddress()) : content)
  })
}

function pathOf({ url }) {
  return new URL(url, 'http://site').pathname
}

const hostileCss = readFileSync(join(here, 'servers/hostile.css'), 'utf8')

/** Attributes for the script tag come with the address, so that each test has the page it needs. */
function tagOf(asked, server) {
  const attributes = [...asked]
    .filter(([name]) => /^[a-z-]+$/.test(name))
    .map(([name, value]) => ` data-${name}="${value.replaceAll('"', '&quot;')}"`)
  return `<script src="${server}/widget.js"${attributes.join('')} defer></script>`
}

/** A page of the book without its site: the article alone, with the style of a site that does not know the chat. */
function plainPage(url, server) {
  const path = fileOf(url.pathname)
  const article = path?.endsWith('.html')
    ? /<article[\s\S]*?<\/article>/.exec(readFileSync(path, 'utf8'))?.[0]
    : undefined
  const body = article ?? '<h1>A plain page</h1><p>Nothing here but a script tag.</p>'
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>A plain site</title>
${url.searchParams.has('strict') ? '' : `<style>${hostileCss}</style>`}
<body>
<main>${body}</main>
${url.searchParams.has('no-chat') ? '' : tagOf(url.searchParams, server)}
</body>
</html>`
}

/** As the guide says it: the chat's server, and nothing else. */
function policyOf({ searchParams }, server) {
  return `default-src 'none'; script-src ${server}; connect-src ${searchParams.get('server') ?? server}`
}

export function startPlainSite(serverAddress) {
  return listen((request, response) => {
    const url = new URL(request.url, 'http://site')
    const headers = { 'Content-Type': types['.html'], 'Cache-Control': 'no-store' }
    if (url.searchParams.has('strict')) headers['Content-Security-Policy'] = policyOf(url, serverAddress())
    response.writeHead(200, headers)
    response.end(plainPage(url, serverAddress()))
  })
}
