import { readdir, readFile, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { defineConfig, type Plugin, type Rolldown, type UserConfig } from 'vite'

type CodeSplittingGroup = Rolldown.CodeSplittingGroup

const assets = new URL('./dist/assets/', import.meta.url)

/** Without what it imports, which is in the main file or must not be in the first one. */
const alone = { includeDependenciesRecursively: false }

/**
 * Few files, since every one is a request: the small first one, the main one, and one per page. Without these groups every
 * module that two pages share becomes a file: 26 before the first page was shown.
 */
const groups: CodeSplittingGroup[] = [
  {
    name: 'first',
    test: /[\\/]src[\\/](entry|locale|page-module|pages|api[\\/](first-reads|home|operations))\.ts$|more-styles|preload-helper/,
    ...alone,
  },
  { name: 'portal', tags: ['$initial'], ...alone },
  { name: 'chart', test: /[\\/]uplot[\\/]|[\\/]chart(-\w+)?\.(tsx?|css)$/ },
  { name: 'operator', test: /[\\/]operator[\\/](console|overview)\.tsx$/ },
  // What opens above the page: the menus of the header must not wait for what all other pages share.
  { name: 'overlays', test: /[\\/]@floating-ui[\\/]|[\\/]components[\\/](Menu|Popover|Tooltip|ScrollArea|Modal)[\\/]/ },
  { name: 'pages', minShareCount: 2 },
]

export default defineConfig(
  ({ command }): UserConfig => ({
    logLevel: 'warn',
    plugins: [command === 'serve' && refresh(), runFirstFile(), precompress()],
    // The server replaces it by the nonce of each response.
    html: { cspNonce: '__NONCE__' },
    build: {
      target: 'es2023',
      // Nothing inline: the Content-Security-Policy allows no data: URLs.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      chunkSizeWarningLimit: 700,
      rolldownOptions: {
        output: { codeSplitting: { groups } },
        // Noise during an installation: timings, and that libraries mark their modules `use client`.
        checks: { bundlerTimings: false, moduleLevelDirective: false },
      },
    },
  }),
)

/** Hot reload, for `npm run dev` only: a production install does not have the plugin. */
async function refresh(): Promise<Plugin[]> {
  // Through a variable: the bundler of this file warns about a package that is not installed.
  const name = '@vitejs/plugin-react'
  const { default: react } = (await import(name)) as typeof import('@vitejs/plugin-react')
  return react()
}

/**
 * The first file runs as soon as it is there. Only preloaded, it would wait for the main file, whose import it is.
 */
function runFirstFile(): Plugin {
  return {
    name: 'run-first-file',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (html) =>
        html.replace(
          /<link rel="modulepreload"[^>]* href="(\/assets\/first-[^"]+)"[^>]*>/,
          '<script type="module" async crossorigin src="$1"></script>',
        ),
    },
  }
}

/** Compressed once, at the highest level, so that serving costs nothing. */
function precompress(): Plugin {
  return {
    name: 'precompress',
    apply: 'build',
    async closeBundle() {
      const names = (await readdir(assets)).filter((name) => /\.(js|css|svg)$/.test(name))
      await Promise.all(
        names.map(async (name) => {
          const content = await readFile(new URL(name, assets))
          const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length }
          await writeFile(new URL(`${name}.br`, assets), await promisify(brotliCompress)(content, { params }))
          await writeFile(new URL(`${name}.gz`, assets), await promisify(gzip)(content, { level: 9 }))
        }),
      )
    },
  }
}
