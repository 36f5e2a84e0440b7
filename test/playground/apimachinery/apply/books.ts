import { applyPatch } from '../../../../playground/apimachinery/apply/apply-patch.js'
import { applyUpdate } from '../../../../playground/apimachinery/apply/apply-update.js'
import { builtinDefinitions } from '../../../../playground/apimachinery/builtin/builtin-definitions.js'
import { type JsonObject, objectAt } from '../../../../playground/apimachinery/json.js'

export const definition = builtinDefinitions.find(({ kind }) => kind === 'Deployment')!
/** When the first write happens, and the second. */
export const t1 = new Date('2026-01-01T00:00:01.500Z')
export const t2 = new Date('2026-01-01T00:00:02Z')

interface Entry {
  readonly manager: string
  readonly operation: string
  readonly time?: string
  readonly fieldsV1: JsonObject
  readonly subresource?: string
}
/** What managedFields says of an object. */
export const entries = (object: JsonObject): Entry[] =>
  (objectAt(object, 'metadata').managedFields ?? []) as unknown as Entry[]
export const entryOf = (object: JsonObject, manager: string): Entry | undefined =>
  entries(object).find(entry => entry.manager === manager)

export const deployment = (spec: JsonObject = {}): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default', labels: { app: 'web' } },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image: 'nginx:1' }] },
    },
    ...spec,
  },
})
/** A Deployment as its creator leaves it. */
export const create = (object: JsonObject, manager = 'creator') =>
  applyUpdate({ definition, object, manager, now: t1 })
/** A Deployment after somebody applied a configuration to it. */
export const apply = (
  live: JsonObject | undefined,
  config: JsonObject,
  manager: string,
  force = false,
  now = t2,
): JsonObject => applyPatch({ definition, ...(live ? { live } : {}), config, manager, force, now })
/** Of a Deployment what somebody has an opinion on. */
export const config = (spec: JsonObject): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default' },
  spec,
})
