import { existsSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { defineConfig, type Plugin } from 'vitest/config'
import { suite } from './vitest.config.js'

const root = import.meta.dirname
const built = join(root, 'dist')

/**
 * Leads what tests import of the program to its compiled files. Workers load those as any process of Node.js does; otherwise
 * vite transforms each file and hands it to each worker. Tests and their helpers are transformed still.
 * @throws Error when a file was changed since the build
 */
function fromTheBuild(): Plugin {
  let time = 0
  return {
    name: 'kairship:from-the-build',
    enforce: 'pre',
    buildStart() {
      time = statSync(join(built, '.tsbuildinfo')).mtimeMs
    },
    resolveId(id, importer) {
      if (!importer || !id.startsWith('.') || !id.endsWith('.js')) return
      const path = relative(root, resolve(dirname(importer), id))
      // The console is built for browsers, so its parts are tested as they are written.
      if (/^(\..*|test|console|dist|node_modules)$/.test(path.split(sep)[0] ?? '')) return
      const source = join(root, path.replace(/\.js$/, '.ts'))
      if (!existsSync(source)) return
      if (statSync(source).mtimeMs > time) throw new Error(`${source} is newer than the build: npm run build`)
      return join(built, path)
    },
  }
}

/** `npm test`: the suite of `vitest.config.ts`, on the compiled program. */
export default defineConfig(
  suite({ plugins: [fromTheBuild()], test: { server: { deps: { external: [/\/dist\/(?!test\/)/] } } } }),
)
