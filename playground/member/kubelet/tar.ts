import type { Readable } from 'node:stream'
import { type Extract, extract, type Header, pack } from 'tar-stream'
import { type CommandContext, MISUSED, SUCCESS } from './command.js'
import { absolute, DiskFullError } from './files.js'

/**
 * `tar`, as far as `kubectl cp` asks for it: `tar cf - PATH…` writes an archive, `tar xf - [-C FOLDER]` unpacks one. Flags
 * about owners, modes and times are taken and mean nothing: these files have none.
 */
export async function tar(words: readonly string[], context: CommandContext): Promise<number> {
  const { action, archive, folder, paths } = read(words)
  if (archive !== '-' || (action === 'c') === (paths.length === 0)) {
    context.stderr.write('tar: known here are: tar cf - PATH…, tar xf - [-C FOLDER]\n')
    return MISUSED
  }
  return action === 'c' ? create(paths, folder, context) : unpack(folder, context)
}

interface Request {
  readonly action?: 'c' | 'x'
  readonly archive?: string
  readonly folder: string
  readonly paths: readonly string[]
}

function read(words: readonly string[]): Request {
  let request: Request = { folder: '/', paths: [] }
  let action: 'c' | 'x' | undefined
  const left = [...words]
  for (let word = left.shift(), first = true; word !== undefined; word = left.shift(), first = false) {
    if (word === '-C') request = { ...request, folder: left.shift() ?? '/' }
    else if (word.startsWith('--')) continue
    else if (first || /^-\w/.test(word)) {
      if (word.includes('c')) action = 'c'
      if (word.includes('x')) action = 'x'
      if (word.endsWith('f')) request = { ...request, archive: left.shift() ?? '' }
    } else request = { ...request, paths: [...request.paths, word] }
  }
  return { ...request, ...(action && { action }) }
}

async function create(
  paths: readonly string[],
  folder: string,
  { files, stdout, stderr }: CommandContext,
): Promise<number> {
  const archive = pack()
  let code = SUCCESS
  for (const path of paths) {
    const from = absolute(path, folder)
    // As GNU tar does: archives hold no absolute names.
    const name = path.replace(/^\/+/, '')
    const data = files.read(from)
    if (data) archive.entry({ name }, data)
    else if (files.isFolder(from)) {
      archive.entry({ name: `${name}/`, type: 'directory' })
      for (const below of files.below(from)) {
        if (below.endsWith('/')) archive.entry({ name: `${name}/${below}`, type: 'directory' })
        else archive.entry({ name: `${name}/${below}` }, files.read(`${from}/${below}`) ?? '')
      }
    } else {
      stderr.write(`tar: ${path}: Cannot stat: No such file or directory\n`)
      code = MISUSED
    }
  }
  archive.finalize()
  for await (const chunk of archive) if (!stdout.write(chunk)) await drained(stdout)
  return code
}

const drained = (stream: NodeJS.WritableStream): Promise<void> =>
  new Promise(resolve => stream.once('drain', resolve))

async function unpack(folder: string, { files, stdin, stderr, signal }: CommandContext): Promise<number> {
  const archive = extract()
  const letGo = feed(stdin, archive, signal)
  try {
    for await (const entry of archive) await take(entry, folder, files)
    return SUCCESS
  } catch (error) {
    if (signal.aborted) return 1
    const { message } = error as Error
    const isFull = error instanceof DiskFullError
    stderr.write(`tar: ${isFull ? message : `This does not look like a tar archive: ${message}`}\n`)
    return MISUSED
  } finally {
    letGo()
    archive.destroy()
  }
}

/**
 * Hands an input to an archive at the archive's pace, and leaves the rest of it to others once that has failed. Not
 * stream.pipeline, which ends the process with the streams of this library when they are closed early.
 */
function feed(stdin: Readable, archive: Extract, signal: AbortSignal): () => void {
  const onData = (chunk: Buffer): void => {
    if (archive.write(chunk)) return
    stdin.pause()
    archive.once('drain', () => stdin.resume())
  }
  const onEnd = (): void => void archive.end(null)
  const onAbort = (): void => archive.destroy(new Error('the caller has left'))
  stdin.on('data', onData).once('end', onEnd)
  signal.addEventListener('abort', onAbort, { once: true })
  return () => {
    stdin.off('data', onData).off('end', onEnd)
    signal.removeEventListener('abort', onAbort)
  }
}

/** A file or folder of an archive, and its bytes. */
interface ArchivedFile extends AsyncIterable<unknown> {
  readonly header: Header
  resume(): unknown
}

/** Keeps one file or folder of an archive. Names never lead out of the folder, and links are left out. */
async function take(entry: ArchivedFile, folder: string, files: CommandContext['files']): Promise<void> {
  const { name, type, size } = entry.header
  const path = absolute(absolute(name).slice(1), folder)
  if (type === 'file') {
    if (size > files.free) throw new DiskFullError()
    const chunks: Buffer[] = []
    for await (const chunk of entry) chunks.push(chunk as Buffer)
    files.write(path, Buffer.concat(chunks))
    return
  }
  if (type === 'directory') files.makeFolder(path)
  entry.resume()
}
