import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * The folder of package.json, above this file where it was written, compiled and bundled.
 * @throws Error when there is none, because the program was copied out of its package
 */
export function packageRoot(): string {
  let folder = import.meta.dirname
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder)
    if (parent === folder) throw new Error(`no package.json above ${import.meta.dirname}`)
    folder = parent
  }
  return folder
}
