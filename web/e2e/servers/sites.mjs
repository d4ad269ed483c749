/** Two sites with the sample book: the built Docusaurus site, and a plain one whose pages have the script tag. */
import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join, normalize } from 'node:path'
import { here, plain, portOf, server, site } from '../places.mjs'

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

function serveFile(request, response) {
  const path = fileOf(new URL(request.url, site).pathname)
  const type = types[extname(path ?? '.html')] ?? 'application/octet-stream'
  const caching = /\/assets\//.test(path ?? '') ? 'max-age=3600' : 'no-store'
  response.writeHead(path ? 200 : 404, { 'Content-Type': type, 'Cache-Control': caching })
  createReadStream(path ?? join(built, '404.html')).pipe(response)
}

const hostileCss = readFileSync(join(here, 'servers/hostile.css'), 'utf8')

/** Attributes for the script tag come with the address, so that each test has the page it needs. */
function tagOf(asked) {
  const attributes = [...asked]
    .filter(([name]) => /^[a-z-]+$/.test(name))
    .map(([name, value]) => ` data-${name}="${value.replaceAll('"', '&quot;')}"`)
  return `<script src="${server}/widget.js"${attributes.join('')} defer></script>`
}

/** A page of the book without its site: the article alone, with the style of a site that does not know the chat. */
function plainPage(url) {
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
<style>${hostileCss}</style>
<body>
<main>${body}</main>
${url.searchParams.has('no-chat') ? '' : tagOf(url.searchParams)}
</body>
</html>`
}

createServer(serveFile).listen(portOf(site), '127.0.0.1')
createServer((request, response) => {
  response.writeHead(200, { 'Content-Type': types['.html'], 'Cache-Control': 'no-store' })
  response.end(plainPage(new URL(request.url, plain)))
}).listen(portOf(plain), '127.0.0.1')
