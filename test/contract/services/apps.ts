import { deepEqual, equal, ok } from 'node:assert/strict'
import type { ServiceScenarios, Stage } from '../scenario.js'
import { lifeOf, listsOf, namesOf } from './object-stories.js'
import { deployment } from './workload-manifests.js'

const deployments = ({ namespace }: Stage) => `/apis/apps/v1/namespaces/${namespace}/deployments`
const services = ({ namespace }: Stage) => `/api/v1/namespaces/${namespace}/services`

/** Creates a Deployment and the policy that places it. */
async function placed({ ask, karmada, namespace }: Stage, name: string) {
  await karmada('POST', `/apis/policy.karmada.io/v1alpha1/namespaces/${namespace}/propagationpolicies`, {
    apiVersion: 'policy.karmada.io/v1alpha1',
    kind: 'PropagationPolicy',
    metadata: { name },
    spec: { resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment', name }], placement: {} },
  })
  await ask('CreateDeployment', { data: JSON.stringify(deployment(name)) })
}

/** Scenarios of the Apps service. */
export const apps: ServiceScenarios = {
  service: 'Apps',
  scenarios: [
    lifeOf({
      kind: 'Deployment',
      manifest: deployment,
      shows: ({ spec, status }) =>
        deepEqual(
          [spec.replicas, spec.template.spec.containers[0].image, status.state],
          [1, 'nginx:1.27', 'WORKLOAD_STATE_WAITING'],
        ),
      update: {
        change: whole => {
          whole.spec.replicas = 3
        },
        changed: ({ spec }) => equal(spec.replicas, 3),
      },
      patch: {
        data: JSON.stringify({ metadata: { annotations: { note: 'kept' } } }),
        patched: ({ metadata }) => equal(metadata.annotations.note, 'kept'),
      },
    }),
    listsOf({
      create: 'CreateDeployment',
      list: 'ListDeployments',
      everywhere: 'ListInstanceDeployments',
      manifest: deployment,
    }),
    {
      proves: ['PauseDeployment', 'ResumeDeployment', 'RestartDeployment'],
      async run(stage) {
        const { ask, eventually, inMember, member, refused } = stage
        const key = { name: 'web' }
        await placed(stage, key.name)
        await eventually(async () => {
          const { status } = await ask('GetDeployment', key)
          deepEqual(
            [status.state, status.clusters[0].name, status.clusters[0].readyReplicas],
            ['WORKLOAD_STATE_RUNNING', member, 1],
          )
        })
        equal((await ask('PauseDeployment', key)).deployment.spec.paused, true)
        equal((await ask('GetDeployment', key)).spec.paused, true)
        equal(await refused('RestartDeployment', key), 400)
        equal((await ask('ResumeDeployment', key)).deployment.spec.paused, false)
        equal((await ask('GetDeployment', key)).spec.paused, false)
        const { deployment: restarted } = await ask('RestartDeployment', key)
        const annotation = 'kubectl.kubernetes.io/restartedAt'
        const at = restarted.spec.template.metadata.annotations[annotation]
        ok(Date.parse(at) > 0)
        await eventually(async () => {
          const { spec } = await inMember('GET', `${deployments(stage)}/web`)
          equal(spec.template.metadata.annotations[annotation], at)
        })
      },
    },
    {
      proves: [
        ...['ListMemberClusterDeployments', 'ListMemberClusterAllDeployments'],
        'PromoteMemberClusterDeployment',
      ],
      async run(stage) {
        const { ask, eventually, inMember, karmada, member, namespace, refused } = stage
        await inMember('POST', deployments(stage), deployment('old'))
        for (const name of ['front', 'back'])
          await inMember('POST', services(stage), {
            metadata: { name },
            spec: { selector: { app: 'old' }, ports: [{ port: 80 }] },
          })
        const there = await ask('ListMemberClusterDeployments', { name: 'ol' })
        deepEqual([namesOf(there), there.items[0].metadata.cluster], [['old'], member])
        deepEqual(namesOf(await ask('ListMemberClusterAllDeployments', { namespace })), ['old'])

        const request = { name: 'old', services: ['front'] }
        deepEqual(await ask('PromoteMemberClusterDeployment', request), {})
        equal((await karmada('GET', `${deployments(stage)}/old`)).spec.replicas, 1)
        deepEqual(namesOf(await karmada('GET', services(stage))), ['front'])
        await eventually(async () => {
          const { metadata } = await inMember('GET', `${deployments(stage)}/old`)
          equal(metadata.labels['karmada.io/managed'], 'true')
        })
        equal(await refused('PromoteMemberClusterDeployment', request), 400)
      },
    },
  ],
}
