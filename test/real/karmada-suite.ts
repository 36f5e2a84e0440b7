import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { copyModule } from './copy-module.js'

/**
 * Karmada's end-to-end suite waits in constants: five seconds between two looks make seven seconds of each spec, and what never
 * comes is waited for seven minutes. Both are shorter in the copy that is built.
 */
export const WAITS = [
  { before: 'PollInterval = 5 * time.Second', after: 'PollInterval = 200 * time.Millisecond' },
  { before: 'PollTimeout = 420 * time.Second', after: 'PollTimeout = 60 * time.Second' },
]
const CONSTANTS = 'test/e2e/framework/constant.go'

/**
 * Writes a copy of Karmada's module whose end-to-end suite waits less into `target`, replacing what is there.
 * @param published folder of the module in Go's module cache (read-only)
 * @throws Error when the module does not have the expected text
 */
export function impatientKarmadaSuite(published: string, target: string): void {
  copyModule(published, target)
  const path = join(target, CONSTANTS)
  let source = readFileSync(path, 'utf8')
  for (const { before, after } of WAITS) {
    if (!source.includes(before))
      throw new Error(`${CONSTANTS} of Karmada lacks the expected text: ${before}`)
    source = source.replace(before, after)
  }
  writeFileSync(path, source)
}
