import { createContext, Script } from 'node:vm'
import { type FieldError, forbidden } from '../field-error.js'
import type { Schema } from './schema.js'

/**
 * How long the patterns and rules of a schema may run over one object, milliseconds. They take a few; Kubernetes bounds rules by a cost, and its
 * patterns do not backtrack.
 */
const MOST_MS = 1_000
/** What took longer is not run again for so long, milliseconds: it would keep the process busy with each object. */
const REST_MS = 30_000

const context: { run?: (() => unknown) | undefined } = {}
createContext(context)
const script = new Script('run()')
/** When each may run again, on the clock of `performance.now`. */
const resting = new WeakMap<object, number>()
const programs = new WeakMap<Schema, boolean>()

/** Whether a schema has what can be made to run for hours: a regular expression or a rule. Junctors may have them too. */
function hasProgram(schema: Schema): boolean {
  const known = programs.get(schema)
  if (known !== undefined) return known
  const found = /"(pattern|x-kubernetes-validations)":/.test(JSON.stringify(schema))
  programs.set(schema, found)
  return found
}

/**
 * What `validate` finds, or that it took too long and was stopped: patterns are JavaScript's here, which backtrack, and all clusters of a
 * playground share one process. It does not call itself.
 * @param of what is not run again for a while when it took too long
 */
export function boundedValidation(
  schema: Schema,
  validate: () => FieldError[],
  of: object = schema,
): FieldError[] {
  if (!hasProgram(schema)) return validate()
  if (performance.now() < (resting.get(of) ?? 0)) return tooLong()
  context.run = validate
  try {
    return script.runInContext(context, { timeout: MOST_MS }) as FieldError[]
  } catch (error) {
    // An Error of the other context, which is no instance of this one's.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
    resting.set(of, performance.now() + REST_MS)
    return tooLong()
  } finally {
    context.run = undefined
  }
}

const tooLong = () => [
  forbidden(
    '',
    `its patterns or rules were stopped after ${MOST_MS} ms, and are not run again for ${REST_MS / 1_000} s: the playground's regular expressions backtrack, so that (a+)+ takes hours`,
  ),
]
