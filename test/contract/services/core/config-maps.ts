import { deepEqual } from 'node:assert/strict'
import type { Scenario } from '../../scenario.js'
import { lifeOf, listsOf } from '../object-stories.js'

const manifest = (name: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data: { sky: 'blue' },
})

/** Scenarios of ConfigMaps. */
export const configMaps: readonly Scenario[] = [
  lifeOf({
    kind: 'ConfigMap',
    manifest,
    shows: ({ data }) => deepEqual(data, { sky: 'blue' }),
    update: {
      change: whole => {
        whole.data = { sky: 'red' }
      },
      changed: ({ data }) => deepEqual(data.sky, 'red'),
    },
    patch: { data: { sea: 'green' }, patched: ({ data }) => deepEqual(data.sea, 'green') },
  }),
  listsOf({
    create: 'CreateConfigMap',
    list: 'ListConfigMaps',
    everywhere: 'ListInstanceConfigMaps',
    manifest,
    narrowed: true,
  }),
]
