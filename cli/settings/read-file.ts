import { readFileSync } from 'node:fs'
import { CommandError, ExitCode } from '../exit-code.js'

/**
 * Reads a text file. Undefined when there is none.
 * @throws CommandError naming the path, for a folder or a file that this user may not read
 */
export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    const why = error instanceof Error ? error.message : String(error)
    throw new CommandError(`${path} cannot be read: ${why}`, ExitCode.usage, { cause: error })
  }
}
