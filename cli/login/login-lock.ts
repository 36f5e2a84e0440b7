import { linkSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { CommandError, ExitCode } from '../exit-code.js'
import { ofFile } from './login-file.js'

/** A holder that has not given its lock back after this time has hung: what it does ends long before, milliseconds. */
export const HELD_MS = 60_000
/** How long others wait: longer than a lock is held, so that one that was left is always taken over. */
const PATIENCE_MS = 90_000
/** How often they look. */
const LOOK_MS = 25

interface Holder {
  readonly pid: number
  /** Another machine may share the folder; its processes cannot be looked at. */
  readonly host: string
  /** Milliseconds since the epoch. */
  readonly until: number
}

/**
 * Does something while no other process does it. Each holder has the next number: its lock is a file `<path>.<number>`, which is made by a
 * link, so that exactly one process gets it, and whole. The file of the highest number stays until there is a higher one: so nobody
 * can take a lock over by removing one that has just been taken. See docs/adr/0056.
 * @param path of the locks, without the number
 * @throws CommandError when others hold it for too long; the signal's reason
 */
export async function locked<T>(path: string, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const end = performance.now() + PATIENCE_MS
  for (;;) {
    const { last, taken } = tried(path)
    if (taken) {
      try {
        return await work()
      } finally {
        giveBack(taken)
      }
    }
    if (performance.now() > end)
      throw new CommandError(
        `another kairship holds ${path}.${last}: if there is none, delete that file`,
        ExitCode.timedOut,
      )
    await setTimeout(LOOK_MS * (0.5 + Math.random()), undefined, { signal })
  }
}

/** The number that a lock has, and its file where it could be taken. @throws CommandError where the system refuses, as on a full disk */
function tried(path: string): { readonly last: number | undefined; readonly taken?: string | undefined } {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const last = lastOf(path)
    if (last !== undefined && !isOver(`${path}.${last}`)) return { last }
    return { last, taken: take(path, (last ?? 0) + 1) }
  } catch (error) {
    throw ofFile(error, path)
  }
}

/** The highest number of a lock; undefined when there was none. */
function lastOf(path: string): number | undefined {
  const prefix = `${basename(path)}.`
  const numbers = readdirSync(dirname(path))
    .filter(name => name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length)))
    .map(name => Number(name.slice(prefix.length)))
  return numbers.length === 0 ? undefined : Math.max(...numbers)
}

/** Whether a lock was given back, or was left by a process that has died or hangs. One that is gone has a successor. */
function isOver(file: string): boolean {
  const holder = holderOf(file)
  if (holder === undefined) return false
  if (holder === 'given back' || holder.until < Date.now()) return true
  return holder.host === hostname() && !isAlive(holder.pid)
}

function holderOf(file: string): Holder | 'given back' | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Holder | 'given back'
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    // It is empty, or a full disk has cut it: nobody holds what nobody could write.
    if (error instanceof SyntaxError) return 'given back'
    throw error
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** @returns the file of the lock; undefined when another process was sooner */
function take(path: string, number: number): string | undefined {
  const file = `${path}.${number}`
  const holder: Holder = { pid: process.pid, host: hostname(), until: Date.now() + HELD_MS }
  if (!linked(file, JSON.stringify(holder))) return undefined
  // One that looked long ago may have made a number again that its holder has cleared away since: then there is a higher one.
  if ((lastOf(path) ?? number) > number) {
    rmSync(file, { force: true })
    return undefined
  }
  for (const name of readdirSync(dirname(path)))
    if (isBefore(name, basename(path), number)) rmSync(join(dirname(path), name), { force: true })
  return file
}

const isBefore = (name: string, prefix: string, number: number): boolean => {
  const rest = name.startsWith(`${prefix}.`) ? name.slice(prefix.length + 1) : ''
  return /^\d+$/.test(rest) && Number(rest) < number
}

function linked(file: string, text: string): boolean {
  const claim = claimOf(file)
  try {
    writeFileSync(claim, text, { mode: 0o600 })
    linkSync(claim, file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(claim, { force: true })
  }
}

/** Empties it, which a full disk allows. */
function giveBack(file: string): void {
  try {
    truncateSync(file)
  } catch {
    // It has been taken over, or its folder was taken away: it ends by itself after a minute, and what was done under it is done.
  }
}

let claims = 0
/** One process may wait for several locks, and for one several times. */
const claimOf = (file: string): string => `${file}.${process.pid}-${claims++}`
