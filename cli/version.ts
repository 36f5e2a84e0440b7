import { createRequire } from 'node:module'
import { z } from 'zod'

const packageJson = z.object({ version: z.string() })

/** The version of this program, as its package says. */
export function versionText(): string {
  const require = createRequire(import.meta.url)
  // Compiled files live one level deeper (dist/cli) than their sources (cli).
  const file = import.meta.url.includes('/dist/cli/') ? '../../package.json' : '../package.json'
  return packageJson.parse(require(file)).version
}
