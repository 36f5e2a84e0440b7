import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The root of the checkout: this file runs both from its source and from `dist/`, so the root is looked for. */
export const repositoryFolder = findUpwards(import.meta.dirname, 'package.json')

/** `test/real/` in the checkout, where the Go modules lie. */
export const sourceFolder = join(repositoryFolder, 'test', 'real')

function findUpwards(from: string, file: string): string {
  if (existsSync(join(from, file))) return from
  const parent = dirname(from)
  if (parent === from) throw new Error(`no ${file} above ${import.meta.dirname}`)
  return findUpwards(parent, file)
}
