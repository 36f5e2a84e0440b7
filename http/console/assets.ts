import { readdirSync, readFileSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'

/** A file of the built console, with its compressed forms. */
export interface Asset {
  readonly type: string
  readonly plain: Uint8Array<ArrayBuffer>
  readonly encoded: Readonly<Partial<Record<Encoding, Uint8Array<ArrayBuffer>>>>
}

export type Encoding = 'br' | 'gzip'

/** The built console: its HTML page, and its files by path. */
export interface Assets {
  readonly page: string
  readonly files: ReadonlyMap<string, Asset>
}

/** The content types of the build's files. Another extension is an error of the build. */
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

const SUFFIXES = { br: '.br', gzip: '.gz' } as const

/**
 * Reads a built console, once: some dozens of files, two megabytes with their compressed forms.
 * @returns undefined where none was built
 * @throws Error for a file without a known content type
 */
export function readAssets(folder: string): Assets | undefined {
  const page = join(folder, 'index.html')
  if (!statSync(page, { throwIfNoEntry: false })) return undefined
  const files = new Map<string, Asset>()
  for (const name of readdirSync(join(folder, 'assets'))) {
    const extension = extname(name)
    if (extension === '.br' || extension === '.gz') continue
    const type = TYPES[extension]
    if (!type) throw new Error(`${name} of the console is of no known type`)
    const path = join(folder, 'assets', name)
    const encoded: Partial<Record<Encoding, Uint8Array<ArrayBuffer>>> = {}
    for (const [encoding, suffix] of entries(SUFFIXES))
      if (statSync(path + suffix, { throwIfNoEntry: false })) encoded[encoding] = bytesOf(path + suffix)
    files.set(`/assets/${name}`, { type, plain: bytesOf(path), encoded })
  }
  return { page: readFileSync(page, 'utf8'), files }
}

const bytesOf = (path: string): Uint8Array<ArrayBuffer> => new Uint8Array(readFileSync(path))

const entries = <K extends string, V>(record: Readonly<Record<K, V>>): [K, V][] =>
  Object.entries(record) as [K, V][]

/** The smallest form of an asset that a client accepts, by its `Accept-Encoding`. */
export function formFor({ plain, encoded }: Asset, accepted: string | undefined) {
  const accepts = new Set(
    (accepted ?? '')
      .split(',')
      .filter(part => !/;\s*q=0(\.0*)?\s*$/.test(part))
      .map(part => part.split(';')[0]?.trim().toLowerCase()),
  )
  for (const encoding of ['br', 'gzip'] as const) {
    const bytes = encoded[encoding]
    if (bytes && accepts.has(encoding)) return { bytes, encoding }
  }
  return { bytes: plain, encoding: undefined }
}
