/**
 * Builds the chat that the Python package ships: the script-tag loader, its panel, and the server's own page.
 *
 * The same sources give the same bytes. Only lazy chunks carry a hash in their name. manifest.json holds the hashes of
 * the sources and of the outputs, so that a test without Node can tell that the built files are current.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'
import { licenseCollector } from './licenses.mjs'
import { byCodeUnits, filesUnder, sha256, sourceHashes, webRoot } from './sources.mjs'

const target = resolve(process.argv[2] ?? join(webRoot, '../src/citebook/web'))
const licenses = licenseCollector()
const staging = mkdtempSync(join(tmpdir(), 'citebook-web-'))

/** Formulas are one file for the widget and the page: built first, and named by both where they load it. */
const MATHS = 'citebook-maths'
const isMaths = (path) => path?.endsWith('/mathml')

function mathsAt(path) {
  return {
    name: 'citebook-maths',
    enforce: 'pre',
    resolveId: (source) => (isMaths(source) ? { id: MATHS, external: true } : null),
    renderChunk: (code) => code.replaceAll(MATHS, path),
  }
}

function settings(root, output, input, { plugins = [], ...extra } = {}) {
  return {
    root: join(webRoot, root),
    configFile: false,
    logLevel: 'warn',
    base: './',
    publicDir: false,
    plugins: [licenses.plugin, ...plugins],
    build: {
      outDir: staging,
      emptyOutDir: false,
      assetsInlineLimit: 0,
      modulePreload: false,
      cssCodeSplit: false,
      sourcemap: false,
      target: 'es2022',
      reportCompressedSize: false,
      rolldownOptions: { input, output, ...extra },
    },
  }
}

async function buildMaths() {
  await build(
    settings(
      'packages/widget',
      { format: 'es', entryFileNames: 'assets/mathml-[hash].js' },
      'src/rendering/mathml.ts',
      {
        preserveEntrySignatures: 'strict',
      },
    ),
  )
  return readdirSync(join(staging, 'assets')).find((name) => name.startsWith('mathml-'))
}

async function buildWidget(maths) {
  const loader = settings('packages/widget', { entryFileNames: 'widget.js' }, 'src/scriptTag.ts')
  // As a library it has no helper for loading style sheets, of which it has none.
  await build({
    ...loader,
    build: { ...loader.build, lib: { entry: 'src/scriptTag.ts', formats: ['iife'], name: 'citebook' } },
  })
  await build(
    settings(
      'packages/widget',
      { format: 'es', entryFileNames: 'widget-panel.js', assetFileNames: 'assets/widget-[name][extname]' },
      'src/panel.tsx',
      { preserveEntrySignatures: 'allow-extension', plugins: [mathsAt(`./assets/${maths}`)] },
    ),
  )
}

/** The words of another language are the same file for the widget and the page. */
function nameOfChunk({ facadeModuleId }) {
  return facadeModuleId?.includes('/words/') ? 'assets/[name]-[hash].js' : 'assets/page-[name]-[hash].js'
}

async function buildPage(maths) {
  await build(
    settings(
      'packages/page',
      {
        format: 'es',
        entryFileNames: 'assets/page.js',
        chunkFileNames: nameOfChunk,
        assetFileNames: 'assets/page-[name][extname]',
      },
      'index.html',
      { plugins: [mathsAt(`./${maths}`)] },
    ),
  )
}

function staged() {
  return filesUnder(staging)
    .map((path) => relative(staging, path).split(sep).join('/'))
    .sort(byCodeUnits)
    .map((path) => [path, readFileSync(join(staging, path))])
}

function removeFormerOutputs() {
  const manifest = join(target, 'manifest.json')
  if (!existsSync(manifest)) return
  for (const path of Object.keys(JSON.parse(readFileSync(manifest, 'utf8')).outputs))
    rmSync(join(target, path), { force: true })
}

try {
  const sources = sourceHashes()
  const maths = await buildMaths()
  await buildWidget(maths)
  await buildPage(maths)
  writeFileSync(join(staging, 'LICENSES.txt'), licenses.text())
  removeFormerOutputs()
  const outputs = {}
  for (const [path, bytes] of staged()) {
    outputs[path] = sha256(bytes)
    mkdirSync(dirname(join(target, path)), { recursive: true })
    writeFileSync(join(target, path), bytes)
    console.log(
      `${path.padEnd(40)} ${String(bytes.length).padStart(8)} B  ${String(gzipSync(bytes, { level: 9 }).length).padStart(7)} B gzipped`,
    )
  }
  writeFileSync(join(target, 'manifest.json'), `${JSON.stringify({ sources, outputs }, null, 2)}\n`)
} finally {
  rmSync(staging, { recursive: true, force: true })
}
