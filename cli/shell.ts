import { relative } from 'node:path'

/** A word of a POSIX shell's command line, quoted where it must be. */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`

/** The program that a person types from the working folder to run the script again. */
export function programFrom(workingFolder: string, script: string): string {
  // npm's link, or a package of an operating system.
  if (!script.endsWith('.js')) return 'kairship'
  const path = relative(workingFolder, script)
  // In the folder of the package npx finds the package itself.
  return path === 'dist/kairship.js'
    ? 'npx kairship'
    : `node ${quoted(path.startsWith('..') ? script : path)}`
}
