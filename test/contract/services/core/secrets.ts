import { deepEqual, equal, ok } from 'node:assert/strict'
import type { Scenario } from '../../scenario.js'
import { lifeOf, listsOf, namesOf } from '../object-stories.js'

const encoded = (text: string) => Buffer.from(text).toString('base64')
const manifest = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name },
  data: { password: encoded('old') },
})

/** Scenarios of Secrets. */
export const secrets: readonly Scenario[] = [
  lifeOf({
    kind: 'Secret',
    manifest,
    shows: ({ type, data }) => deepEqual([type, data], ['Opaque', { password: encoded('old') }]),
    update: {
      change: whole => {
        whole.data = { password: encoded('new') }
      },
      changed: ({ data }) => equal(data.password, encoded('new')),
    },
    patch: { data: { user: encoded('me') }, patched: ({ data }) => equal(data.user, encoded('me')) },
  }),
  listsOf({
    create: 'CreateSecret',
    list: 'ListSecrets',
    everywhere: 'ListInstanceSecrets',
    manifest,
    narrowed: true,
  }),
  {
    proves: ['ListSecretsForMemberCluster'],
    async run({ ask, inMember, member, namespace }) {
      await inMember('POST', `/api/v1/namespaces/${namespace}/secrets`, manifest('login'))
      const list = await ask('ListSecretsForMemberCluster', { name: 'log' })
      deepEqual(namesOf(list), ['login'])
      equal(list.items[0].metadata.cluster, member)
      deepEqual(list.items[0].data, { password: '' })
      ok(!JSON.stringify(list).includes(encoded('old')))
    },
  },
]
