import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')

/**
 * Runs V8's collector now: all that is dead unless told. The one of type `major` may leave some of it: of the same program it left
 * between 4 and 36 MB in a row of calls, and one without options always the same 3.7 MB (Node.js 20).
 */
export const collectGarbage = runInNewContext('gc') as (options?: { type: 'minor' | 'major' }) => void
