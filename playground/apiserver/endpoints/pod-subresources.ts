import { type JsonObject, objectAt, stringAt, withAt } from '../../apimachinery/json.js'
import { badRequest, conflict } from '../api-status.js'
import { remove } from '../operations/delete.js'
import { deleteOptions } from '../operations/delete-options.js'
import { INTERNAL_WRITE } from '../operations/internal-options.js'
import type { Target } from '../operations/target.js'
import { write } from '../operations/update.js'

const CREATED: JsonObject = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 }

/** `pods/{name}/eviction`: a deletion that asks politely. Disruption budgets are not kept here: nothing runs. */
export async function evict(target: Target, body: JsonObject): Promise<JsonObject> {
  const options = deleteOptions(new URLSearchParams(), objectAt(body, 'deleteOptions'))
  await remove({ ...target, subresource: '' }, options)
  return CREATED
}

/** `pods/{name}/binding`: puts the pod on a node, once. */
export async function bind(target: Target, body: JsonObject): Promise<JsonObject> {
  const node = stringAt(body, 'target', 'name')
  if (node === '') throw badRequest('Binding "" is invalid: target.name: Required value')
  // The status subresource, because the main resource refuses to change nodeName.
  await write({ ...target, subresource: 'binding' }, INTERNAL_WRITE, current => {
    const present = stringAt(current, 'spec', 'nodeName')
    if (present !== '') {
      throw conflict(
        { group: '', resource: 'pods/binding' },
        target.name,
        `pod ${target.name} is already assigned to node ${JSON.stringify(present)}`,
      )
    }
    return withAt(current, ['spec', 'nodeName'], node)
  })
  return CREATED
}
