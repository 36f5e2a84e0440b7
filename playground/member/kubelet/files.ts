/** As many bytes are kept of one pod's container; a write beyond them fails as on a full disk. */
const MOST_BYTES = 8 * 1024 * 1024
/** As many names, of files and folders each. */
const MOST_NAMES = 10_000

/** No room is left. */
export class DiskFullError extends Error {
  override readonly name = 'DiskFullError'
  constructor() {
    super('No space left on device')
  }
}

/** The files of a simulated container, in memory: absolute paths without `.` and `..`. Folders are there when something is in them. */
export class Files {
  readonly #files = new Map<string, Buffer>()
  readonly #folders = new Set<string>(['/', '/tmp'])
  #bytes = 0

  /** How many bytes more there is room for. */
  get free(): number {
    return MOST_BYTES - this.#bytes
  }

  read(path: string): Buffer | undefined {
    return this.#files.get(absolute(path))
  }

  /** @throws DiskFullError */
  write(path: string, data: Buffer): void {
    const name = absolute(path)
    const bytes = this.#bytes - (this.#files.get(name)?.length ?? 0) + data.length
    if (bytes > MOST_BYTES || this.#files.size >= MOST_NAMES) throw new DiskFullError()
    this.#bytes = bytes
    this.#files.set(name, data)
    this.makeFolder(parentOf(name))
  }

  /** Makes a folder and those above it. @throws DiskFullError */
  makeFolder(path: string): void {
    for (let name = absolute(path); !this.#folders.has(name); name = parentOf(name)) {
      if (this.#folders.size >= MOST_NAMES) throw new DiskFullError()
      this.#folders.add(name)
    }
  }

  isFile(path: string): boolean {
    return this.#files.has(absolute(path))
  }

  isFolder(path: string): boolean {
    return this.#folders.has(absolute(path))
  }

  /** Everything below a folder: files, and folders with a `/` at the end; relative to it, sorted. */
  below(path: string): readonly string[] {
    const name = absolute(path)
    const prefix = name === '/' ? '/' : `${name}/`
    const inside = (one: string) => one.startsWith(prefix) && one !== prefix
    const files = [...this.#files.keys()].filter(inside)
    const folders = [...this.#folders].filter(inside).map(one => `${one}/`)
    return [...files, ...folders].map(one => one.slice(prefix.length)).sort()
  }

  /** @returns false when there is nothing of that name */
  remove(path: string): boolean {
    const name = absolute(path)
    const isThere = this.isFile(name) || this.isFolder(name)
    for (const one of [...this.#files.keys()])
      if (one === name || one.startsWith(`${name}/`)) {
        this.#bytes -= this.#files.get(one)?.length ?? 0
        this.#files.delete(one)
      }
    for (const one of [...this.#folders])
      if ((one === name || one.startsWith(`${name}/`)) && one !== '/') this.#folders.delete(one)
    return isThere
  }
}

/** A path from the root, without `.`, `..` and doubled slashes; never outside of it. */
export function absolute(path: string, folder = '/'): string {
  const parts: string[] = []
  for (const part of (path.startsWith('/') ? path : `${folder}/${path}`).split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return `/${parts.join('/')}`
}

const parentOf = (path: string): string => absolute(path.slice(0, path.lastIndexOf('/')) || '/')
