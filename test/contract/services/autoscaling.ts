import { deepEqual, equal } from 'node:assert/strict'
import type { ServiceScenarios, Stage } from '../scenario.js'

const manifest = (name: string, kind = 'Deployment') => ({
  apiVersion: 'autoscaling.karmada.io/v1alpha1',
  kind: 'FederatedHPA',
  metadata: { name },
  spec: {
    scaleTargetRef: { apiVersion: 'apps/v1', kind, name: 'web' },
    minReplicas: 2,
    maxReplicas: 9,
    metrics: [
      {
        type: 'Resource',
        resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } },
      },
    ],
  },
})
const hpas = ({ namespace }: Stage) =>
  `/apis/autoscaling.karmada.io/v1alpha1/namespaces/${namespace}/federatedhpas`
const namesOf = ({ items }: { items: { metadata: { name: string } }[] }) =>
  items.map(({ metadata }) => metadata.name)

/** Scenarios of the Autoscaling service. */
export const autoscaling: ServiceScenarios = {
  service: 'Autoscaling',
  scenarios: [
    {
      proves: [
        ...['CreateFederatedHPA', 'GetFederatedHPA', 'GetFederatedHPAJSON'],
        ...['UpdateFederatedHPA', 'DeleteFederatedHPA'],
      ],
      async run(stage) {
        const { ask, eventually, refused, karmada, namespace } = stage
        const created = JSON.parse(
          (await ask('CreateFederatedHPA', { data: JSON.stringify(manifest('web')) })).data,
        )
        deepEqual([created.metadata.name, created.metadata.namespace], ['web', namespace])
        await karmada('PATCH', `${hpas(stage)}/web/status`, {
          status: {
            desiredReplicas: 5,
            conditions: ['AbleToScale', 'ScalingActive'].map(type => ({ type, status: 'True' })),
          },
        })
        // Where Karmada has the controller, it says by now that there is nothing to scale.
        await eventually(async () => {
          const { fhpa } = await ask('GetFederatedHPA', { name: 'web' })
          const { status } = JSON.parse((await ask('GetFederatedHPAJSON', { name: 'web' })).data)
          const works = status.conditions.every((one: { status: string }) => one.status === 'True')
          deepEqual(
            [fhpa.metadata.uid, fhpa.spec.metrics[0].resource.target.averageUtilization, fhpa.status.phase],
            [created.metadata.uid, 70, works ? 'Ready' : 'NotReady'],
          )
        })
        const update = await eventually(async () => {
          const whole = JSON.parse((await ask('GetFederatedHPAJSON', { name: 'web' })).data)
          whole.spec.maxReplicas = 12
          const request = { name: 'web', data: JSON.stringify(whole) }
          equal(JSON.parse((await ask('UpdateFederatedHPA', request)).data).spec.maxReplicas, 12)
          return request
        })
        equal(await refused('UpdateFederatedHPA', update), 409)
        deepEqual(await ask('DeleteFederatedHPA', { name: 'web' }), {})
        equal(await refused('GetFederatedHPA', { name: 'web' }), 404)
      },
    },
    {
      proves: ['ListFederatedHPAs', 'ListInstanceFederatedHPAs'],
      async run(stage) {
        const { ask, karmada, unique } = stage
        for (const name of ['c', 'a', 'b'])
          await karmada(
            'POST',
            hpas(stage),
            manifest(`${name}-${unique}`, name === 'b' ? 'StatefulSet' : undefined),
          )
        const page = { page: 2, pageSize: 2, sortBy: 'field_name', sortDir: 'asc' }
        await stage.eventually(async () => {
          const second = await ask('ListFederatedHPAs', page)
          deepEqual(
            [namesOf(second), second.pagination],
            [[`c-${unique}`], { total: 3, page: 2, pageSize: 2, pages: 2 }],
          )
          const ofKind = await ask('ListInstanceFederatedHPAs', { kind: 'StatefulSet', name: unique })
          deepEqual(namesOf(ofKind), [`b-${unique}`])
        })
      },
    },
  ],
}
