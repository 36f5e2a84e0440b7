import { existsSync, readdirSync, readFileSync } from 'node:fs'
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
  karmada: { ours: ['manifests'], never: /^(xstate|rxjs|hono|undici|node:|@grpc|@kubernetes)/ },
  http: {
    ours: ['proto', 'transcoding', 'manifests', 'ports', 'karmada', 'types:machines'],
    never: /^(xstate|rxjs|@kubernetes)/,
  },
  proto: { ours: [], never: /^(xstate|rxjs|hono|@kubernetes)/ },
  transcoding: { ours: ['proto'], never: /^(?!@bufbuild\/protobuf)/ },
  // A page can use it, too: nothing of Node.js.
  client: { ours: ['proto', 'transcoding'], never: /^(?!@bufbuild\/protobuf)/ },
  // It runs in browsers, and knows of the product what every client knows.
  console: {
    ours: ['client', 'proto', 'transcoding'],
    never: /^(xstate|rxjs|hono|undici|node:|@grpc|@kubernetes)/,
  },
  playground: {
    ours: ['manifests', 'streams', 'ports', 'karmada', 'config/package-root'],
    never: /^(xstate|@kubernetes)/,
  },
  config: { ours: [], never: /^(xstate|rxjs|hono|undici|@grpc|@kubernetes)/ },
  cli: {
    ours: ['manifests', 'ports', 'config', 'proto', 'client', 'transcoding'],
    never: /^(xstate|rxjs|@kubernetes)/,
  },
}

const root = resolve(import.meta.dirname, '..')
const importPattern =
  /(?:^|\n)\s*(import|export)\s+(type\s)?(?:[^'"`;]*?\sfrom\s+)?['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)/g

function* sources(folder: string): Generator<string> {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name)
    // `npm run proto` leaves its tools there.
    if (entry.name === 'node_modules') continue
    if (entry.isDirectory()) yield* sources(path)
    else if (/\.tsx?$/.test(entry.name)) yield path
  }
}

interface Import {
  /** A package's name, or the path of a file of ours from the root, without its ending. */
  readonly target: string
  readonly isOurs: boolean
  readonly type: boolean
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), 'utf8')
  return [...text.matchAll(importPattern)].map(([, , type, from, dynamic]) => {
    const written = (from ?? dynamic)!
    const isOurs = written.startsWith('.')
    const target = isOurs
      ? relative(root, resolve(root, dirname(file), written)).replace(/\.js$/, '')
      : written
    return { target, isOurs, type: Boolean(type) }
  })
}

function violations(folder: string): string[] {
  const { ours, never } = table[folder]!
  const found: string[] = []
  for (const file of sources(folder)) {
    for (const { target, isOurs, type } of importsOf(file)) {
      if (!isOurs) {
        if (never.test(target)) found.push(`${file} imports ${target}`)
        continue
      }
      if (target.split('/')[0] === folder) continue
      const allowed = ours.some(entry => {
        const [name, typeOnly] = entry.startsWith('types:') ? [entry.slice(6), true] : [entry, false]
        return (target === name || target.startsWith(`${name}/`)) && (!typeOnly || type)
      })
      if (!allowed) found.push(`${file} imports ${type ? 'type ' : ''}${target}`)
    }
  }
  return found
}

/** A circle among the imports of some files, each importing the next; `import type` leaves nothing behind and closes none. */
function circle(files: Iterable<string>, { types = false } = {}): string[] {
  const clear = new Set<string>()
  const visit = (file: string, way: readonly string[]): string[] => {
    if (way.includes(file)) return [...way.slice(way.indexOf(file)), file]
    if (clear.has(file) || !existsSync(join(root, file))) return []
    for (const { target, isOurs, type } of importsOf(file)) {
      const found = isOurs && (types || !type) ? visit(`${target}.ts`, [...way, file]) : []
      if (found.length > 0) return found
    }
    clear.add(file)
    return []
  }
  for (const file of files) {
    const found = visit(file, [])
    if (found.length > 0) return found
  }
  return []
}

describe('the import table holds', () => {
  for (const folder of Object.keys(table)) {
    it(`in ${folder}/`, () => expect(violations(folder)).toEqual([]))
  }

  it.each(['http', 'cli'])(
    'each file and folder of %s/ imports only those that follow it in its README',
    folder => {
      const rows = readFileSync(join(root, folder, 'README.md'), 'utf8').matchAll(
        /^\| `([a-z-]+)(?:\/|\.ts)`/gm,
      )
      const order = [...rows].map(([, name]) => name)
      const rowOf = (path: string) => order.indexOf(path.replace(/\.ts$/, '').split('/')[1])
      const files = [...sources(folder)]
      expect(files.filter(file => rowOf(file) < 0)).toEqual([])
      const upward = files.flatMap(file =>
        importsOf(file)
          .filter(({ target }) => target.startsWith(`${folder}/`) && rowOf(target) < rowOf(file))
          .map(({ target }) => `${file} imports ${target}`),
      )
      expect(upward).toEqual([])
    },
  )

  it('no product file imports the playground', () => {
    const product = Object.keys(table).filter(folder => folder !== 'playground')
    expect(product.flatMap(violations).filter(line => line.includes('playground'))).toEqual([])
  })

  it('machines and karmada use no clock and no randomness', () => {
    const impure = [...sources('machines'), ...sources('karmada')].filter(file =>
      /Date\.now\(|new Date\(\)|Math\.random\(/.test(readFileSync(join(root, file), 'utf8')),
    )
    expect(impure).toEqual([])
  })

  it('only actors and the playground subscribe to streams, and a kept watch to its own requests', () => {
    // Its subscriber ends them; as a chain of operators each watch would cost twice the memory (ADR 49).
    const owned = ['streams/keep-watching.ts']
    const others = Object.keys(table).filter(folder => !['actors', 'playground'].includes(folder))
    const subscribing = others
      .flatMap(folder => [...sources(folder)])
      .filter(file => /\.subscribe\(/.test(readFileSync(join(root, file), 'utf8')))
    expect(subscribing).toEqual(owned)
  })
})

describe('what has one place', () => {
  // A command ends with its process, so what it holds until then is gone.
  const product = Object.keys(table).filter(folder => !['playground', 'cli'].includes(folder))
  const files = product.flatMap(folder => [...sources(folder)])
  const has = (file: string, written: RegExp) => written.test(readFileSync(join(root, file), 'utf8'))

  it.each([
    [
      'the body of a SubjectAccessReview',
      /kind: 'SubjectAccessReview'/,
      'http/identity/subject-access-review.ts',
    ],
    ['impersonation headers', /Impersonate-(User|Group|Uid|Extra-)/, 'ports/impersonation.ts'],
    ['the verb of a method', /\bPATCH: 'patch'/, 'http/proxy/route/request-info.ts'],
    ['loops over raw headers', /\bindex \+= 2\b/, 'ports/raw-headers.ts'],
    ['the field manager of the management API', /'kairship-apiserver'/, 'http/call/write-query.ts'],
    ['ids of requests', /\brandomUUID\(/, 'http/call/request-id.ts'],
  ])('%s: one file of the product has it', (_what, written, place) => {
    const found = files.filter(file => has(file, written))
    expect(found).toEqual([place])
  })

  it('deadlines: no file of the product makes them of AbortSignal.any, which Node 20 keeps as long as a signal lives', () => {
    expect(files.filter(file => has(file, /AbortSignal\.(any|timeout)\(/))).toEqual([])
  })
})

describe('import cycles', () => {
  const folders = [...Object.keys(table), 'bench', 'test']

  it('do not exist in any folder', () =>
    expect(circle([...folders.flatMap(folder => [...sources(folder)]), 'main.ts'])).toEqual([]))

  // `apps/` and `core/` of one folder must not need each other, whatever their files.
  it.each(['http', 'http/rpc', 'http/objects', 'cli'])('do not exist between two folders of %s', folder => {
    const roomOf = (path: string) => path.slice(folder.length + 1).split('/')[0]
    const arrows = new Set(
      [...sources(folder)].flatMap(file =>
        importsOf(file)
          .filter(({ target }) => target.startsWith(`${folder}/`) && roomOf(target) !== roomOf(file))
          .map(({ target }) => `${roomOf(file)} ${roomOf(target)}`),
      ),
    )
    const back = (arrow: string) => arrow.split(' ').reverse().join(' ')
    expect([...arrows].filter(arrow => arrows.has(back(arrow)))).toEqual([])
  })

  for (const folder of Object.keys(table)) {
    it(`do not exist among type imports in ${folder}/`, () =>
      expect(circle(sources(folder), { types: true })).toEqual([]))
  }
})
