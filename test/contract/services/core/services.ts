import { deepEqual, equal } from 'node:assert/strict'
import type { Scenario, Stage } from '../../scenario.js'
import { lifeOf, listsOf, namesOf } from '../object-stories.js'
import { deployment } from '../workload-manifests.js'

const manifest = (name: string, selector = { app: name }) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec: { selector, ports: [{ port: 80, targetPort: 8080 }] },
})
const services = ({ namespace }: Stage) => `/api/v1/namespaces/${namespace}/services`
const deployments = ({ namespace }: Stage) => `/apis/apps/v1/namespaces/${namespace}/deployments`

/** Scenarios of Services. */
export const serviceScenarios: readonly Scenario[] = [
  lifeOf({
    kind: 'Service',
    manifest,
    shows: ({ spec }) => deepEqual([spec.type, spec.ports[0].port], ['ClusterIP', 80]),
    update: {
      change: whole => {
        whole.spec.sessionAffinity = 'ClientIP'
      },
      changed: ({ spec }) => equal(spec.sessionAffinity, 'ClientIP'),
    },
    patch: { data: { note: 'kept' }, patched: ({ metadata }) => equal(metadata.annotations.note, 'kept') },
  }),
  listsOf({
    create: 'CreateService',
    list: 'ListServices',
    everywhere: 'ListInstanceServices',
    manifest,
    direction: 'orderBy',
  }),
  {
    proves: ['CreateWorkloadService'],
    async run(stage) {
      const { ask, karmada, namespace, refused } = stage
      await karmada('POST', deployments(stage), deployment('web'))
      const { selector: _, ...spec } = manifest('web').spec
      const data = JSON.stringify({ ...manifest('web'), spec })
      const request = { kind: 'Deployment', kindName: 'web', data }
      deepEqual(await ask('CreateWorkloadService', request), {})
      const made = await karmada('GET', `${services(stage)}/web`)
      deepEqual([made.metadata.namespace, made.spec.selector], [namespace, { app: 'web' }])
      equal(await refused('CreateWorkloadService', { ...request, kindName: 'nobody' }), 404)
    },
  },
  {
    proves: ['ListServicesForMemberCluster', 'ListMemberClusterServices', 'ListMemberClusterAllServices'],
    async run(stage) {
      const { ask, inMember, member, namespace } = stage
      await inMember('POST', deployments(stage), deployment('web'))
      for (const name of ['web', 'other']) await inMember('POST', services(stage), manifest(name))
      const ofWorkload = { kind: 'Deployment', kindName: 'web' }
      for (const rpc of ['ListServicesForMemberCluster', 'ListMemberClusterServices']) {
        deepEqual(namesOf(await ask(rpc)), ['other', 'web'])
        const narrowed = await ask(rpc, { ...ofWorkload, name: 'we' })
        deepEqual([namesOf(narrowed), narrowed.pagination.total], [['web'], 1])
        equal(narrowed.items[0].metadata.cluster, member)
      }
      const everywhere = await ask('ListMemberClusterAllServices', { namespace, ...ofWorkload })
      deepEqual(namesOf(everywhere), ['web'])
    },
  },
  {
    proves: ['PromoteMemberClusterService'],
    async run(stage) {
      const { ask, inMember, karmada, refused } = stage
      await inMember('POST', services(stage), manifest('old'))
      deepEqual(await ask('PromoteMemberClusterService', { name: 'old' }), {})
      const template = await karmada('GET', `${services(stage)}/old`)
      deepEqual(template.spec.selector, { app: 'old' })
      await stage.eventually(async () => {
        const { metadata } = await inMember('GET', `${services(stage)}/old`)
        equal(metadata.labels['karmada.io/managed'], 'true')
      })
      equal(await refused('PromoteMemberClusterService', { name: 'old' }), 400)
    },
  },
]
