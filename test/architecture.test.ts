import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

/**
 * The import table of the house: for each folder, which of our folders it may import and which packages it must not.
 * `types:x` allows `import type` only. See ARCHITECTURE.md.
 */
const table: Record<string, { ours: string[]; never: RegExp }> = {
  ports: { ours: ['types:manifests'], never: /./ },
  manifests: { ours: [], never: /^(xstate|rxjs|hono|node:|undici|@grpc|@kubernetes)/ },
  streams: {
    ours: ['types:manifests', 'manifests/status-error', 'manifests/kube', 'types:ports'],
    never: /^(xstate|hono|undici|node:|@grpc|@kubernetes)/,
  },
  machines: {
    ours: ['types:manifests', 'types:ports'],
    never: /^(rxjs|hono|undici|node:|@grpc|@kubernetes)/,
  },
  actors: { ours: ['machines', 'streams', 'manifests', 'ports'], never: /^(hono|@hono|@grpc)/ },
  http: { ours: ['proto', 'manifests', 'ports', 'types:machines'], never: /^(xstate|rxjs|@kubernetes)/ },
  proto: { ours: [], never: /^(xstate|rxjs|hono|@kubernetes)/ },
  playground: { ours: ['manifests', 'streams', 'ports'], never: /^(xstate|@kubernetes)/ },
  cli: { ours: ['manifests', 'ports', 'config'], never: /^(xstate|rxjs|@kubernetes)/ },
}

const root = resolve(import.meta.dirname, '..')
const importPattern =
  /(?:^|\n)\s*(import|export)\s+(type\s)?(?:[^'"`;]*?\sfrom\s+)?['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)/g

function* sources(folder: string): Generator<string> {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* sources(path)
    else if (/\.tsx?$/.test(entry.name)) yield path
  }
}

function violations(folder: string): string[] {
  const { ours, never } = table[folder]!
  const found: string[] = []
  for (const file of sources(folder)) {
    for (const [, , type, from, dynamic] of readFileSync(join(root, file), 'utf8').matchAll(importPattern)) {
      const target = (from ?? dynamic)!
      if (!target.startsWith('.')) {
        if (never.test(target)) found.push(`${file} imports ${target}`)
        continue
      }
      const path = relative(root, resolve(root, dirname(file), target)).replace(/\.js$/, '')
      const owner = path.split('/')[0]!
      if (owner === folder) continue
      const allowed = ours.some(entry => {
        const [name, typeOnly] = entry.startsWith('types:') ? [entry.slice(6), true] : [entry, false]
        return (path === name || path.startsWith(`${name}/`)) && (!typeOnly || Boolean(type))
      })
      if (!allowed) found.push(`${file} imports ${type ? 'type ' : ''}${path}`)
    }
  }
  return found
}

describe('the import table holds', () => {
  for (const folder of Object.keys(table)) {
    it(`in ${folder}/`, () => expect(violations(folder)).toEqual([]))
  }

  it('and nothing of the product imports the playground', () => {
    const product = ['ports', 'manifests', 'streams', 'machines', 'actors', 'http', 'proto', 'cli']
    expect(product.flatMap(violations).filter(line => line.includes('playground'))).toEqual([])
  })

  it('and machines neither read the clock nor roll dice', () => {
    const impure = [...sources('machines')].filter(file =>
      /Date\.now\(|new Date\(\)|Math\.random\(/.test(readFileSync(join(root, file), 'utf8')),
    )
    expect(impure).toEqual([])
  })
})
