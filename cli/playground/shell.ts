import { relative } from 'node:path'

/** A word of a POSIX shell's command line, quoted where it must be. */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`

/**
 * The program that a person types from the working folder to run the script again.
 *
 * Never `npx kairship`: npx installs the folder's own package into its cache first. That takes seconds, and a Ctrl-C
 * in them leaves a cache with which every later call fails.
 */
export function programFrom(workingFolder: string, script: string): string {
  // npm's link, or a package of an operating system.
  if (!script.endsWith('.js')) return 'kairship'
  const path = relative(workingFolder, script)
  return `node ${quoted(path.startsWith('..') ? script : path)}`
}
