import { deepEqual, equal, ok } from 'node:assert/strict'
import type { ServiceScenarios, Stage } from '../scenario.js'

const manifest = (name: string, labels = {}) => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata: { name, labels },
  spec: {
    ingressClassName: 'nginx',
    rules: [
      {
        host: `${name}.test`,
        http: {
          paths: [
            { path: '/', pathType: 'Prefix', backend: { service: { name: 'web', port: { number: 80 } } } },
          ],
        },
      },
    ],
  },
})

const ingresses = ({ namespace }: Stage) => `/apis/networking.k8s.io/v1/namespaces/${namespace}/ingresses`
const namesOf = ({ items }: { items: { metadata: { name: string } }[] }) =>
  items.map(({ metadata }) => metadata.name)

/** Scenarios of the Networking service. */
export const networking: ServiceScenarios = {
  service: 'Networking',
  scenarios: [
    {
      proves: [
        'CreateIngress',
        'GetIngress',
        'GetIngressJSON',
        'UpdateIngress',
        'PatchIngress',
        'DeleteIngress',
      ],
      async run({ ask, refused, namespace }) {
        const created = JSON.parse(
          (await ask('CreateIngress', { data: JSON.stringify(manifest('web')) })).data,
        )
        deepEqual([created.metadata.name, created.metadata.namespace], ['web', namespace])

        const shown = await ask('GetIngress', { name: 'web' })
        equal(shown.metadata.uid, created.metadata.uid)
        equal(shown.spec.rules[0].http.paths[0].backend.service.port.number, 80)

        const whole = JSON.parse((await ask('GetIngressJSON', { name: 'web' })).data)
        equal(whole.spec.rules[0].host, 'web.test')

        whole.spec.rules[0].host = 'other.test'
        const updated = JSON.parse(
          (await ask('UpdateIngress', { name: 'web', data: JSON.stringify(whole) })).data,
        )
        equal(updated.spec.rules[0].host, 'other.test')
        equal(await refused('UpdateIngress', { name: 'web', data: JSON.stringify(whole) }), 409)

        const patched = JSON.parse((await ask('PatchIngress', { name: 'web', data: { note: 'kept' } })).data)
        equal(patched.metadata.annotations.note, 'kept')
        const after = await ask('GetIngress', { name: 'web' })
        deepEqual([after.metadata.annotations.note, after.spec.rules[0].host], ['kept', 'other.test'])

        deepEqual(await ask('DeleteIngress', { name: 'web' }), {})
        equal(await refused('GetIngress', { name: 'web' }), 404)
      },
    },
    {
      proves: ['ListIngresses', 'ListInstanceIngresses'],
      async run(stage) {
        const { ask, karmada, unique } = stage
        for (const name of ['c', 'a', 'b'])
          await karmada('POST', ingresses(stage), manifest(`${name}-web`, { run: unique }))
        const page = { page: 2, pageSize: 2, sortBy: 'field_name', sortDir: 'asc' }
        await stage.eventually(async () => {
          const second = await ask('ListIngresses', { ...page, fuzzyName: 'web' })
          deepEqual(
            [namesOf(second), second.pagination],
            [['c-web'], { total: 3, page: 2, pageSize: 2, pages: 2 }],
          )
          const all = await ask('ListInstanceIngresses', {
            labelSelector: `run=${unique}`,
            sortBy: 'created_at',
          })
          deepEqual([...namesOf(all)].sort(), ['a-web', 'b-web', 'c-web'])
        })
      },
    },
    {
      proves: ['ListMemberClusterIngresses', 'ListMemberClusterAllIngresses', 'PromoteMemberClusterIngress'],
      async run(stage) {
        const { ask, inMember, karmada, member, namespace, refused } = stage
        await inMember('POST', ingresses(stage), manifest('old'))
        deepEqual(namesOf(await ask('ListMemberClusterIngresses')), ['old'])
        const all = await ask('ListMemberClusterAllIngresses', { namespace })
        deepEqual(
          all.items.map((item: { metadata: { cluster: string } }) => item.metadata.cluster),
          [member],
        )

        deepEqual(await ask('PromoteMemberClusterIngress', { name: 'old' }), {})
        const template = await karmada('GET', `${ingresses(stage)}/old`)
        equal(template.spec.rules[0].host, 'old.test')
        await stage.eventually(async () => {
          const { metadata } = await inMember('GET', `${ingresses(stage)}/old`)
          equal(metadata.labels['karmada.io/managed'], 'true')
        })
        equal(await refused('PromoteMemberClusterIngress', { name: 'old' }), 400)
      },
    },
    {
      proves: ['ListIngressClassForMemberCluster'],
      async run({ ask, inMember, unique }) {
        const annotations = { 'ingressclass.kubernetes.io/is-default-class': 'true' }
        const classes = '/apis/networking.k8s.io/v1/ingressclasses'
        await inMember('POST', classes, {
          metadata: { name: unique, annotations },
          spec: { controller: 'x/y' },
        })
        try {
          const { items } = await ask('ListIngressClassForMemberCluster')
          ok(items.some((item: object) => JSON.stringify(item).includes(`"${unique}"`)))
          deepEqual(
            items.find(({ name }: { name: string }) => name === unique),
            { name: unique, isDefaultClass: true },
          )
        } finally {
          await inMember('DELETE', `${classes}/${unique}`)
        }
      },
    },
  ],
}
