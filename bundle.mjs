// The last step of `npm run build`: joins the compiled program and its packages into dist/kairship.js and a few chunks beside
// it. A process then loads some forty files instead of two thousand: half the CPU of every command's start.
// What a command loads only when it runs (`import()`) stays apart. See docs/adr/0033-the-program-is-bundled.md.
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'

const root = import.meta.dirname
const folder = join(root, 'dist')

const changed = file => statSync(join(root, file), { throwIfNoEntry: false })?.mtimeMs ?? 0
const newest = Math.max(...['dist/.tsbuildinfo', 'package-lock.json', 'bundle.mjs'].map(changed))

// Written when the bundle is whole: one that was interrupted is made again.
const done = 'dist/.bundled'

// Most builds find nothing to do, and `npm start` is one.
if (changed('dist/kairship.js') < newest || changed(done) < newest) {
  const bundle = await rolldown({
    input: { kairship: join(folder, 'entry.js'), 'kairship-worker': join(folder, 'proxy-worker.js') },
    platform: 'node',
    // Koa's old packages make functions of text (depd), which a bundle cannot follow. Only a playground at which somebody logs in loads it.
    external: ['oidc-provider/lib/provider.js'],
    onLog(level, log, report) {
      // What is not understood here would fail in a user's process.
      if (level === 'warn') throw new Error(log.message)
      report(level, log)
    },
  })
  await bundle.write({
    dir: folder,
    format: 'esm',
    sourcemap: true,
    entryFileNames: '[name].js',
    // Without a hash, as files that a running program imports later must stay where they are.
    chunkFileNames: 'chunks/[name].js',
    // Names of classes and functions are read in errors and logs.
    keepNames: true,
  })
  await bundle.close()
  writeFileSync(join(root, done), '')
}
