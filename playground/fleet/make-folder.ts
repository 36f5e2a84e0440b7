import { mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * Makes a folder and those above it, for their owner only; one that exists is left as it is. Node's own recursive `mkdir`
 * never returns where the system refuses with ENOENT below a folder that exists, as Linux does in `/proc`.
 * @throws what the system says, e.g. EACCES, ENOTDIR or ENOENT
 */
export function makeFolder(folder: string): void {
  const path = resolve(folder)
  const found = statSync(path, { throwIfNoEntry: false })
  if (found?.isDirectory()) return
  if (found)
    throw Object.assign(new Error(`ENOTDIR: not a folder, mkdir '${path}'`), { code: 'ENOTDIR', path })
  if (dirname(path) !== path) makeFolder(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process was sooner.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
