// Builds the console into dist/console, when a file of it, of the client or of the API is newer than what was built.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { build } from 'vite'

const root = join(import.meta.dirname, '..')
const outDir = join(root, 'dist/console')
const done = join(outDir, '.built')

/** Bytes below which a compressed form saves no packet. */
const WORTH_COMPRESSING = 1_024

const changed = path => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
const sources = ['console', 'client', 'transcoding', 'proto/gen'].flatMap(folder =>
  readdirSync(join(root, folder), { recursive: true }).map(name => join(root, folder, name)),
)
const newest = Math.max(...sources.map(changed), changed(join(root, 'package-lock.json')))

if (changed(done) < newest) {
  await build({
    configFile: false,
    root: import.meta.dirname,
    logLevel: 'warn',
    plugins: [react()],
    // The server puts a fresh one here for each answer (http/console/page.ts).
    html: { cspNonce: '{{nonce}}' },
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2023',
      // The page's policy allows no file that is written into another, and no script that is written into the page.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
    },
  })
  compress(join(outDir, 'assets'))
  // Written when all of it is there: a build that was interrupted is made again.
  writeFileSync(done, '')
}

/** Once, here, and not for each reader. */
function compress(folder) {
  for (const name of readdirSync(folder)) {
    const bytes = readFileSync(join(folder, name))
    if (bytes.length < WORTH_COMPRESSING) continue
    writeFileSync(join(folder, `${name}.gz`), gzipSync(bytes, { level: 9 }))
    const params = { [constants.BROTLI_PARAM_QUALITY]: 10 }
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(bytes, { params }))
  }
}
