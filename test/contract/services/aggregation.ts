import { deepEqual, equal } from 'node:assert/strict'
import type { ServiceScenarios } from '../scenario.js'

const apiVersion = 'policy.karmada.io/v1alpha1'
const configMap = (name: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data: { a: '1' },
})
const policy = (kind: string, name: string, selected: object) => ({
  ...{ apiVersion, kind, metadata: { name } },
  spec: { resourceSelectors: [selected], placement: {} },
})
const texts = (...manifests: object[]) => manifests.map(one => JSON.stringify(one))
const kindsOf = (answer: readonly string[]) => answer.map(text => JSON.parse(text).kind)

/** Scenarios of the Aggregation service. */
export const aggregation: ServiceScenarios = {
  service: 'Aggregation',
  scenarios: [
    {
      proves: ['CreateAggregationResource'],
      async run({ ask, inMember, eventually, namespace, refused }) {
        const selected = { apiVersion: 'v1', kind: 'ConfigMap', name: 'web' }
        const data = {
          resources: texts(configMap('web')),
          popagrationpolicies: texts(policy('PropagationPolicy', 'web', selected)),
        }
        const made = await ask('CreateAggregationResource', { data })
        deepEqual(
          [kindsOf(made.resources), kindsOf(made.popagrationpolicies)],
          [['ConfigMap'], ['PropagationPolicy']],
        )
        await eventually(() => inMember('GET', `/api/v1/namespaces/${namespace}/configmaps/web`))
        equal(await refused('CreateAggregationResource', { data }), 409)
      },
    },
    {
      proves: ['CreateClusterAggregationResource'],
      async run({ ask, inMember, karmada, eventually, unique }) {
        const role = {
          ...{
            apiVersion: 'rbac.authorization.k8s.io/v1',
            kind: 'ClusterRole',
            metadata: { name: unique },
            rules: [],
          },
        }
        const selected = { apiVersion: role.apiVersion, kind: role.kind, name: unique }
        const data = {
          resources: texts(role),
          clusterpopagrationpolicies: texts(policy('ClusterPropagationPolicy', unique, selected)),
        }
        const made = await ask('CreateClusterAggregationResource', { data })
        deepEqual(kindsOf(made.resources), ['ClusterRole'])
        await eventually(() => inMember('GET', `/apis/rbac.authorization.k8s.io/v1/clusterroles/${unique}`))
        await karmada('DELETE', `/apis/${apiVersion}/clusterpropagationpolicies/${unique}`)
        await karmada('DELETE', `/apis/rbac.authorization.k8s.io/v1/clusterroles/${unique}`)
      },
    },
  ],
}
