import { z } from 'zod'
import { deliveredBinding, instant, sequence } from '../../manifests/delivered-binding.js'
import { hasMoreValues } from '../../ports/json-values.js'
import type { RoleBindingEvent } from '../../ports/role-binding-deliveries.js'
import { invalidArgument, invalidFields } from '../errors/failure.js'

/** Values of one event at most: a binding of 256 subjects and 256 namespaces has some 1,100. */
const MOST_VALUES = 4_096

const common = { sequence, occurredAt: instant }
const schema = z.discriminatedUnion('type', [
  z.strictObject({
    ...common,
    type: z.enum(['binding.created', 'binding.updated', 'binding.deleted']),
    binding: deliveredBinding,
  }),
  z.strictObject({
    ...common,
    type: z.enum(['user.deleted', 'group.deleted']),
    name: z.string().min(1).max(253),
  }),
])

/** Reads an event. @throws Failure INVALID_ARGUMENT that names each wrong field */
export function parseEvent(text: string): RoleBindingEvent {
  if (hasMoreValues(text, MOST_VALUES)) throw invalidArgument(`the body has more than ${MOST_VALUES} values`)
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (cause) {
    throw invalidArgument('the body is not JSON', { cause })
  }
  const { success, data, error } = schema.safeParse(json)
  if (success) return data as RoleBindingEvent
  throw invalidFields(
    error.issues
      .flatMap(issue => nearest(issue))
      .map(({ path, message }) => ({ field: path.join('.') || 'type', description: message })),
  )
}

type Issue = z.core.$ZodIssue

/** Of what may have one of several forms: what is wrong with the form that it is nearest to. */
function nearest(issue: Issue): readonly Issue[] {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue]
  const [fewest = []] = [...issue.errors].sort((left, right) => left.length - right.length)
  return fewest.flatMap(one => nearest({ ...one, path: [...issue.path, ...one.path] }))
}
