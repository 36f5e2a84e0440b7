import { Readable, Writable } from 'node:stream'
import type { Container } from '../../objects/core.js'
import type { ContainerLog } from './container-log.js'
import type { Files } from './files.js'
import { canRun, run } from './toy-shell.js'

/** What a container's main process has around it. */
export interface ProcessContext {
  readonly environment: Readonly<Record<string, string>>
  readonly log: ContainerLog
  readonly files: Files
  /** Aborted when the container is stopped. */
  readonly signal: AbortSignal
}

const wordsOf = ({ command = [], args = [] }: Container): readonly string[] => [...command, ...args]

/** True for a container whose main process can really be run. */
export const isKnown = (container: Container): boolean =>
  container.command !== undefined && canRun(wordsOf(container))

/** True for a script that loops for ever: it is not run, and does not end by itself. */
export const isEndless = (container: Container): boolean =>
  /\bwhile\s+(true|:)\s*[;\n]/.test(wordsOf(container).join(' '))

/**
 * Starts the main process of a container. A command of which the toy shell understands every word is really run, and what it
 * writes is the container's log; of every other program nothing is known.
 * @returns the exit code when it ends; undefined for a program that is not known here
 */
export function startProcess(container: Container, context: ProcessContext): Promise<number> | undefined {
  if (!isKnown(container)) return undefined
  const [stdout, stderr] = [intoLog(context.log), intoLog(context.log)]
  return run(wordsOf(container), { ...context, stdin: Readable.from([]), stdout, stderr })
}

/** What is written to the log line by line. */
function intoLog(log: ContainerLog): Writable {
  let rest = ''
  return new Writable({
    decodeStrings: false,
    write(chunk: Buffer | string, _, done) {
      const lines = (rest + chunk.toString()).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) log.write(line)
      done()
    },
  })
}
