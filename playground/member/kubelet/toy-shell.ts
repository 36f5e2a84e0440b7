import { setTimeout as pause } from 'node:timers/promises'
import { type Command, type CommandContext, MISUSED, NOT_FOUND, SUCCESS } from './command.js'
import { filePrograms } from './file-programs.js'
import { interactiveShell } from './interactive-shell.js'

/** 128 and SIGTERM. */
const STOPPED = 143

/** Programs of every simulated container: enough to see streams, exit codes and logs at work. Nothing is run on this machine. */
const commands: Readonly<Record<string, Command>> = {
  ...filePrograms,
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
  /** Not a real program: the container's main process writes a line to its log. */
  log: async (words, { log }) => {
    log.write(words.join(' '))
    return SUCCESS
  },
  sleep: async ([duration = '', ...more], { stderr, signal }) => {
    const [, count = '', unit = 's'] = /^(\d+(?:\.\d+)?|infinity)([smhd]?)$/.exec(duration) ?? []
    if (count === '' || more.length > 0) {
      stderr.write(`sleep: invalid time interval '${duration}'\n`)
      return 1
    }
    const seconds =
      count === 'infinity' ? Number.POSITIVE_INFINITY : Number(count) * (SECONDS[unit || 's'] ?? 1)
    return rest(seconds, signal)
  },
  /** Of the real one only `size`. */
  stty: async ([what], { stdout, stderr, terminal }) => {
    if (!terminal || what !== 'size') {
      stderr.write(terminal ? `stty: invalid argument '${what}'\n` : 'stty: standard input: not a tty\n')
      return 1
    }
    const { columns, rows } = terminal.size()
    stdout.write(`${rows} ${columns}\n`)
    return SUCCESS
  },
  sh: (words, context) =>
    words.length === 0
      ? interactiveShell(context, line => script(line, context))
      : script(words[0] === '-c' ? (words[1] ?? '') : '', context),
}

/** The programs that every container has. */
export const PROGRAMS: readonly string[] = Object.keys(commands)

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }
/** setTimeout counts no further. */
const LONGEST_PAUSE_MS = 2_147_483_647

/** Waits, however long. @returns how a program ends that was waiting: well, or because it was stopped */
async function rest(seconds: number, signal: AbortSignal): Promise<number> {
  for (let left = seconds * 1000; left > 0; left -= LONGEST_PAUSE_MS) {
    try {
      await pause(Math.min(left, LONGEST_PAUSE_MS), undefined, { signal, ref: false })
    } catch (error) {
      if (signal.aborted) return STOPPED
      throw error
    }
  }
  return SUCCESS
}

const commandOf = (program: string): Command | undefined => {
  const name = program.replace(/^\/(usr\/)?bin\//, '')
  return Object.hasOwn(commands, name) ? commands[name] : undefined
}

/** Runs one command. @returns its exit code; undefined where the container has no such program */
export const run = ([program = '', ...words]: readonly string[], context: CommandContext) =>
  commandOf(program)?.(words, context)

/** True for a command of which every word is understood here, those of a script included. */
export function canRun([program = '', ...words]: readonly string[]): boolean {
  if (!commandOf(program)) return false
  if (!/(^|\/)sh$/.test(program)) return true
  if (words[0] !== '-c' || words.length !== 2) return false
  const script = words[1] ?? ''
  // What a shell would do with these is more than this one knows.
  if (/[|&<>$`()]/.test(script.replaceAll(/1?>&2/g, ''))) return false
  return linesOf(script).every(line => canRun(line))
}

/** The commands of a script, in words: split at `;` and line ends. A word is what has no blank in it, or is quoted. */
const linesOf = (text: string): readonly (readonly string[])[] =>
  text
    .split(/[;\n]/)
    .map(line =>
      [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, one, two, bare]) => one ?? two ?? bare ?? ''),
    )
    .filter(words => words.length > 0)

/** Commands one after the other; `>&2` is understood. */
async function script(text: string, context: CommandContext): Promise<number> {
  let code = SUCCESS
  for (const all of linesOf(text)) {
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
