import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')

/** Runs V8's collector now: the whole heap unless told. */
export const collectGarbage = runInNewContext('gc') as (options?: { type: 'minor' | 'major' }) => void
