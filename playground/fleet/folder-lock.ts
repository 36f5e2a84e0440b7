import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { makeFolder } from './make-folder.js'

/** Another process, or another part of this one, keeps its data in the folder. The message names it. */
export class FolderInUseError extends Error {
  override readonly name = 'FolderInUseError'
}

interface Holder {
  readonly pid: number
  /** When the process started, in ticks since boot; '' where the system does not say. A pid alone is reused. */
  readonly started: string
}

/** Folders that this process holds. */
const held = new Set<string>()

/**
 * Takes a folder for this process alone, by a file `lock` in it. The lock of a process that has died is taken over.
 * @returns gives the folder back
 * @throws FolderInUseError, or what the system says when the folder cannot be made or written
 */
export function lockFolder(folder: string): () => void {
  const whole = resolve(folder)
  makeFolder(whole)
  const path = join(whole, 'lock')
  if (held.has(whole)) throw inUse(folder, process.pid)
  const own = `${JSON.stringify({ pid: process.pid, started: startOf(process.pid) } satisfies Holder)}\n`
  const claim = `${path}.${process.pid}`
  writeFileSync(claim, own, { mode: 0o600 })
  try {
    // Twice: after a lock of the dead is gone, another process may be sooner.
    if (!linked(claim, path)) {
      const found = readFileSync(path, 'utf8')
      const holder = read(found)
      if (holder && isAlive(holder)) throw inUse(folder, holder.pid)
      takeAway(path, found)
      if (!linked(claim, path)) throw inUse(folder, read(readFileSync(path, 'utf8'))?.pid)
    }
  } finally {
    rmSync(claim, { force: true })
  }
  held.add(whole)
  return () => {
    if (held.delete(whole)) rmSync(path, { force: true })
  }
}

/** A link is made with its content or not at all, and never over another. */
function linked(claim: string, path: string): boolean {
  try {
    linkSync(claim, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Takes the lock of the dead out of the way; what is not that lock any more is put back. */
function takeAway(path: string, expected: string): void {
  const aside = `${path}.stale.${process.pid}`
  try {
    renameSync(path, aside)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  if (readFileSync(aside, 'utf8') !== expected) linked(aside, path)
  rmSync(aside)
}

function read(text: string): Holder | undefined {
  try {
    const { pid, started } = JSON.parse(text) as Partial<Holder>
    return Number.isInteger(pid) && typeof started === 'string' ? { pid: pid as number, started } : undefined
  } catch {
    // Torn by a crash: no process holds the folder.
    return undefined
  }
}

function isAlive({ pid, started }: Holder): boolean {
  // This process does not hold the folder, so an earlier one of the same number did.
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  const now = statOf(pid)
  // One that has ended and whose parent has not noticed, as in a container without an init process.
  if (now?.state === 'Z') return false
  return started === '' || now === undefined || now.started === started
}

/** When a process started, in ticks since boot; '' where the system does not say. */
const startOf = (pid: number): string => statOf(pid)?.started ?? ''

/** Fields 3 and 22 of /proc/{pid}/stat (proc_pid_stat(5)); the second one, in parentheses, may hold spaces. */
function statOf(pid: number): { readonly state: string; readonly started: string } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { state: fields[0] ?? '', started: fields[19] ?? '' }
  } catch {
    // Not Linux, or gone.
    return undefined
  }
}

const inUse = (folder: string, pid: number | undefined): FolderInUseError =>
  new FolderInUseError(
    pid === process.pid
      ? `${folder} is already in use by this process`
      : `${folder} is in use by process ${pid ?? 'unknown'}: stop it, or name another folder`,
  )
