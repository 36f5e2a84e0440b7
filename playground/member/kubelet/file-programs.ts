import { type Command, type CommandContext, MISUSED, SUCCESS } from './command.js'
import { absolute, DiskFullError } from './files.js'
import { tar } from './tar.js'

const MISSING = 'No such file or directory'

/** Programs that work on the files of a simulated container. */
export const filePrograms: Readonly<Record<string, Command>> = {
  tar,

  /** Copies files to its output; without words its input, at the reader's pace. */
  cat: async (paths, context) => {
    if (paths.length === 0) return copied(context)
    return each(paths, context, path => {
      const data = context.files.read(path)
      if (data) context.stdout.write(data)
      return data ? undefined : `cat: ${path}: ${context.files.isFolder(path) ? 'Is a directory' : MISSING}`
    })
  },

  /** What a folder holds, a name a line. */
  ls: async (words, context) => {
    const { files, stdout } = context
    const paths = words.filter(word => !word.startsWith('-'))
    return each(paths.length > 0 ? paths : ['/'], context, path => {
      if (files.isFile(path)) stdout.write(`${path}\n`)
      else if (!files.isFolder(path)) return `ls: ${path}: ${MISSING}`
      else for (const name of namesIn(files.below(path))) stdout.write(`${name}\n`)
      return undefined
    })
  },

  mkdir: async (words, context) =>
    each(plain(words), context, path => {
      if (context.files.isFile(path)) return `mkdir: ${path}: File exists`
      try {
        context.files.makeFolder(path)
      } catch (error) {
        if (error instanceof DiskFullError) return `mkdir: ${path}: ${error.message}`
        throw error
      }
      return undefined
    }),

  rm: async (words, context) => {
    const isForced = words.some(word => /^-\w*f/.test(word))
    const isRecursive = words.some(word => /^-\w*[rR]/.test(word))
    return each(plain(words), context, path => {
      if (context.files.isFolder(path) && !isRecursive) return `rm: ${path}: is a directory`
      return context.files.remove(path) || isForced ? undefined : `rm: ${path}: ${MISSING}`
    })
  },

  /** `-d`, `-e` and `-f` of a path. */
  test: async ([flag = '', path = '', ...more], { files, stderr }) => {
    const holds = { '-d': files.isFolder(path), '-f': files.isFile(path) }
    const known = { ...holds, '-e': holds['-d'] || holds['-f'] }
    if (!Object.hasOwn(known, flag) || path === '' || more.length > 0) {
      stderr.write('test: -d, -e and -f of one path are known here\n')
      return MISUSED
    }
    return known[flag as keyof typeof known] ? SUCCESS : 1
  },
}

/** The names directly in a folder. */
const namesIn = (below: readonly string[]): ReadonlySet<string> =>
  new Set(below.map(path => path.split('/')[0] ?? ''))

const plain = (words: readonly string[]): readonly string[] =>
  words.filter(word => !word.startsWith('-')).map(word => absolute(word))

/** Does one thing for each path, and goes on after what fails, as these programs do. */
function each(
  paths: readonly string[],
  { stderr }: CommandContext,
  work: (path: string) => string | undefined,
): number {
  let code = SUCCESS
  for (const path of paths) {
    const problem = work(path)
    if (problem === undefined) continue
    stderr.write(`${problem}\n`)
    code = 1
  }
  return code
}

const copied = ({ stdin, stdout, signal }: CommandContext): Promise<number> =>
  new Promise(resolve => {
    stdin.pipe(stdout, { end: false })
    stdin.once('end', () => resolve(SUCCESS))
    signal.addEventListener('abort', () => resolve(1), { once: true })
  })
