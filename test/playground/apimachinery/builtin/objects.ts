import { builtinDefinitions } from '../../../../playground/apimachinery/builtin/builtin-definitions.js'
import { decode } from '../../../../playground/apimachinery/decode.js'
import type { JsonObject } from '../../../../playground/apimachinery/json.js'

export const definitionOf = (kind: string) => builtinDefinitions.find(one => one.kind === kind)!
/** An object of a built-in kind as the server reads it. */
export const read = (kind: string, object: JsonObject): JsonObject =>
  decode(definitionOf(kind), object).object

export const container = { name: 'web', image: 'nginx' }
export const deployment = (spec: JsonObject = {}): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' }, creationTimestamp: null },
      spec: { containers: [container] },
    },
    ...spec,
  },
})
