/** The sample book as its author would publish it. */
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import rehypeKatex from 'rehype-katex'
import remarkMath from 'remark-math'

const book = fileURLToPath(new URL('../../../examples/physical-ai/docs', import.meta.url))

export default {
  title: 'Physical AI & Humanoid Robotics',
  url: 'http://localhost',
  baseUrl: '/',
  onBrokenLinks: 'ignore',
  onBrokenAnchors: 'ignore',
  themes: ['@docusaurus/theme-classic'],
  plugins: [
    [
      '@docusaurus/plugin-content-docs',
      { path: path.resolve(book), routeBasePath: 'docs', remarkPlugins: [remarkMath], rehypePlugins: [rehypeKatex] },
    ],
    [
      '@citebook/docusaurus-plugin',
      {
        server: process.env.CITEBOOK_SERVER ?? 'http://127.0.0.1:8000',
        mode: process.env.CITEBOOK_MODE ?? 'ephemeral',
      },
    ],
  ],
  clientModules: [fileURLToPath(new URL('node_modules/katex/dist/katex.min.css', import.meta.url))],
  themeConfig: { navbar: { title: 'Physical AI & Humanoid Robotics' } },
}
