/** Builds what npm ships: the Node part for Docusaurus, and the browser part with the widget inside it. */
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const here = fileURLToPath(new URL('.', import.meta.url))
const fromHere = (path) => fileURLToPath(new URL(path, import.meta.url))

function settings(input, output, external) {
  return {
    root: here,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    define: { 'process.env.NODE_ENV': '"production"' },
    resolve: {
      alias: [
        { find: '@citebook/widget/panel', replacement: fromHere('../widget/src/panel.tsx') },
        { find: '@citebook/widget', replacement: fromHere('../widget/src/index.ts') },
        { find: '@citebook/client', replacement: fromHere('../client/src/index.ts') },
      ],
    },
    build: {
      outDir: 'dist',
      emptyOutDir: false,
      minify: false,
      target: 'es2022',
      modulePreload: false,
      assetsInlineLimit: 0,
      reportCompressedSize: false,
      lib: { entry: input, formats: [output.format] },
      rolldownOptions: { output, external },
    },
  }
}

/**
 * Docusaurus sends every .js file of a package with its name through Babel in loose mode, which takes all that is
 * spread for an array: `[...text]` has one element then. It leaves .mjs files as they are, but looks for themes in .js.
 */
function nameOfEntry({ name }) {
  return name.startsWith('browser/') ? '[name].mjs' : '[name].js'
}

rmSync(fromHere('dist'), { recursive: true, force: true })
await build(
  settings('src/index.ts', { format: 'cjs', entryFileNames: 'index.js', exports: 'named' }, [
    /^@docusaurus\//,
    /^node:/,
  ]),
)
await build(
  settings(
    {
      clientModule: 'src/clientModule.ts',
      'theme/CitebookChat/index': 'src/theme/CitebookChat/index.tsx',
      'browser/launcher': 'src/browser/launcher.ts',
      'browser/panel': 'src/browser/panel.ts',
    },
    { format: 'es', entryFileNames: nameOfEntry, chunkFileNames: 'chunks/[name].mjs' },
    [/^@docusaurus\//, /^@generated\//, /^@theme\//, /^react(-dom)?(\/.*)?$/],
  ),
)
