import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { packageRoot } from '../../config/package-root.js'

const packageJson = z.object({ version: z.string() })

/** The version of this program, as its package says. */
export const versionText = (): string =>
  packageJson.parse(JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8'))).version
