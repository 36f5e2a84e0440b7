import { isAbsolute, relative, resolve } from 'node:path'
import { CommandError, ExitCode } from '../exit-code.js'

/**
 * Explains in one line, with the name of the setting, that a folder cannot be used. Any other
 * error is returned as it is.
 * @param setting as it was given, e.g. `--data`
 */
export function folderProblem(setting: string, folder: string, error: unknown): unknown {
  // Explained already, as a problem of another folder.
  if (!(error instanceof Error) || error instanceof CommandError) return error
  if (error.name === 'FolderInUseError')
    return new CommandError(`${setting}: ${error.message}`, ExitCode.failed, { cause: error })
  if (!('path' in error)) return diskProblem(setting, folder, error)
  if (!('code' in error && isWithin(folder, String(error.path)))) return error
  return new CommandError(`${setting}: ${folder} cannot be used: ${error.message}`, ExitCode.usage, {
    cause: error,
  })
}

/** What Node says of a full or broken disk, without a path, and what the embedded servers repeat. */
const diskFailure = /\b(?:ENOSPC|EDQUOT|EIO): .*/

function diskProblem(setting: string, folder: string, error: Error): unknown {
  const [failure] = diskFailure.exec(error.message) ?? []
  if (failure === undefined) return error
  return new CommandError(
    `${setting}: ${folder} cannot be written: ${failure}; make room there, or name another folder`,
    ExitCode.failed,
    { cause: error },
  )
}

/** A folder that cannot be made fails at the first of those above it that is missing. */
function isWithin(folder: string, path: string): boolean {
  const [whole, other] = [resolve(folder), resolve(path)]
  return isBelow(whole, other) || isBelow(other, whole)
}

function isBelow(folder: string, path: string): boolean {
  const rest = relative(folder, path)
  return !rest.startsWith('..') && !isAbsolute(rest)
}
