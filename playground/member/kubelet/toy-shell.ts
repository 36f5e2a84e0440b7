import type { Readable, Writable } from 'node:stream'
import type { ContainerLog } from './container-log.js'

/** What a command in a container has around it. */
export interface CommandContext {
  readonly stdin: Readable
  readonly stdout: Writable
  readonly stderr: Writable
  readonly environment: Readonly<Record<string, string>>
  /** What the container's main process writes to. */
  readonly log: ContainerLog
  /** Aborted when nobody is connected any more. */
  readonly signal: AbortSignal
}

type Command = (words: readonly string[], context: CommandContext) => Promise<number>

const SUCCESS = 0
/** What a shell says of a command that it cannot find, and of one whose words mean nothing. */
const [NOT_FOUND, MISUSED] = [127, 2]

/** Programs of every simulated container: enough to see streams, exit codes and logs at work. Nothing is run on this machine. */
const commands: Readonly<Record<string, Command>> = {
  true: async () => SUCCESS,
  false: async () => 1,
  /** A process has eight bits to say how it ended. */
  exit: async ([code = '0'], { stderr }) => {
    if (/^\d+$/.test(code)) return Number(code) & 0xff
    stderr.write(`sh: exit: Illegal number: ${code}\n`)
    return MISUSED
  },
  echo: async (words, { stdout }) => {
    stdout.write(`${words.join(' ')}\n`)
    return SUCCESS
  },
  env: async (_, { stdout, environment }) => {
    for (const [name, value] of Object.entries(environment)) stdout.write(`${name}=${value}\n`)
    return SUCCESS
  },
  hostname: async (_, { stdout, environment }) => {
    stdout.write(`${environment.HOSTNAME}\n`)
    return SUCCESS
  },
  /** Copies its input to its output, at the reader's pace. */
  cat: (_, { stdin, stdout, signal }) =>
    new Promise(resolve => {
      stdin.pipe(stdout, { end: false })
      stdin.once('end', () => resolve(SUCCESS))
      signal.addEventListener('abort', () => resolve(1), { once: true })
    }),
  /** Not a real program: the container's main process writes a line to its log. */
  log: async (words, { log }) => {
    log.write(words.join(' '))
    return SUCCESS
  },
  sh: (words, context) => script(words[0] === '-c' ? (words[1] ?? '') : '', context),
}

/** Runs one command. @returns its exit code; undefined where the container has no such program */
export function run([program = '', ...words]: readonly string[], context: CommandContext) {
  const name = program.replace(/^\/(usr\/)?bin\//, '')
  return Object.hasOwn(commands, name) ? commands[name]?.(words, context) : undefined
}

/** Commands one after the other, split at `;` and line ends. A word is what has no blank in it, or is quoted; `>&2` is understood. */
async function script(text: string, context: CommandContext): Promise<number> {
  let code = SUCCESS
  for (const line of text.split(/[;\n]/)) {
    const all = [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
      ([, one, two, bare]) => one ?? two ?? bare ?? '',
    )
    const toStderr = all.some(word => word === '>&2' || word === '1>&2')
    const words = all.filter(word => word !== '>&2' && word !== '1>&2')
    if (words.length === 0) continue
    const within = toStderr ? { ...context, stdout: context.stderr } : context
    const running = run(words, within)
    if (!running) context.stderr.write(`sh: ${words[0]}: not found\n`)
    code = running ? await running : NOT_FOUND
    if (words[0] === 'exit') return code
  }
  return code
}
