import type { Readable, Writable } from 'node:stream'
import type { ContainerLog } from './container-log.js'
import type { Files } from './files.js'

/** What a command in a container has around it. */
export interface CommandContext {
  readonly stdin: Readable
  readonly stdout: Writable
  readonly stderr: Writable
  readonly environment: Readonly<Record<string, string>>
  /** What the container's main process writes to. */
  readonly log: ContainerLog
  readonly files: Files
  /** The terminal that the command has, as large as its window is now; absent where it has none. */
  readonly terminal?: { size(): { readonly columns: number; readonly rows: number } }
  /** Aborted when the command is to end: its client has gone, or its container has ended. */
  readonly signal: AbortSignal
}

/** A program of a simulated container. @returns its exit code */
export type Command = (words: readonly string[], context: CommandContext) => Promise<number>

/** The exit code of a program that did what it was asked for. */
export const SUCCESS = 0
/** What a shell says of a command that it cannot find, and of one whose words mean nothing. */
export const [NOT_FOUND, MISUSED] = [127, 2]
