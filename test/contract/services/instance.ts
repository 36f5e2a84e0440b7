import { deepEqual, equal, match } from 'node:assert/strict'
import type { ServiceScenarios, Stage } from '../scenario.js'

/** An Instance that adopts a control plane whose Secret is not there: it is accepted, and says what it lacks. */
const adopting = (name: string) => ({
  metadata: { name },
  spec: { alias: 'made', kubeconfigSecretRef: { namespace: 'kairship-system', name: `${name}-absent` } },
})

/** Runs with a control plane that Kairship installs, and deletes it. */
async function installed({ ask, refused, unique, eventually }: Stage, run: (name: string) => Promise<void>) {
  await ask('CreateInstance', { data: { metadata: { name: unique }, spec: { install: {} } } })
  try {
    await run(unique)
  } finally {
    await ask('DeleteInstance', { name: unique })
    await eventually(async () => equal(await refused('GetInstance', { name: unique }), 404))
  }
}

/** Scenarios of the Instance service. */
export const instance: ServiceScenarios = {
  service: 'Instance',
  scenarios: [
    {
      proves: ['CreateInstance', 'GetInstance', 'GetInstanceJSON', 'UpdateInstance', 'DeleteInstance'],
      async run({ ask, refused, unique, eventually }) {
        const created = await ask('CreateInstance', { data: adopting(unique) })
        equal(created.metadata.name, unique)
        try {
          equal((await ask('GetInstance', { name: unique })).spec.alias, 'made')
          const whole = JSON.parse((await ask('GetInstanceJSON', { name: unique })).data)
          equal(whole.kind, 'Instance')
          const { resourceVersion: _, ...metadata } = whole.metadata
          const data = JSON.stringify({ ...whole, metadata, spec: { ...whole.spec, alias: 'changed' } })
          equal(JSON.parse((await ask('UpdateInstance', { name: unique, data })).data).spec.alias, 'changed')
          equal((await ask('GetInstance', { name: unique })).spec.alias, 'changed')
        } finally {
          deepEqual(await ask('DeleteInstance', { name: unique }), {})
        }
        await eventually(async () => equal(await refused('GetInstance', { name: unique }), 404))
      },
    },
    {
      proves: ['ListInstances', 'GetInstanceKarmadaConfig', 'CreateInstanceAdminKubeConfig'],
      async run({ ask, instance }) {
        const { items, pagination } = await ask('ListInstances', { page: 1, pageSize: 10, name: instance })
        equal(items[0].metadata.name, instance)
        equal(pagination.total, 1)
        match((await ask('GetInstanceKarmadaConfig')).version, /^v1\./)
        const issued = await ask('CreateInstanceAdminKubeConfig', { expirationSeconds: 3600 })
        equal(issued.instance, instance)
        match(issued.kubeConfigString, /clusters:/)
      },
    },
    {
      proves: [
        ...['GetInstanceFailover', 'UpdateInstanceFailover'],
        ...['GetInstanceDescheduler', 'UpdateInstanceDescheduler'],
        ...['GetInstanceMetricsAdapter', 'UpdateInstanceMetricsAdapter'],
      ],
      run: stage =>
        installed(stage, async instance => {
          const { ask, eventually } = stage
          const timeout = { clusterMonitorPeriod: '7', clusterMonitorGracePeriod: '50' }
          await eventually(() => ask('UpdateInstanceFailover', { instance, enabled: true, timeout }))
          const failover = await ask('GetInstanceFailover', { instance })
          equal(failover.enabled, true)
          equal(failover.timeout.clusterMonitorPeriod, '7')
          const interval = { deschedulingInterval: '90', unschedulableThreshold: '30' }
          await ask('UpdateInstanceDescheduler', { instance, enabled: true, timeout: interval })
          const descheduler = await ask('GetInstanceDescheduler', { instance })
          deepEqual([descheduler.enabled, descheduler.timeout.deschedulingInterval], [true, '90'])
          // Both ways: it is on unless it was turned off.
          for (const enabled of [false, true]) {
            await ask('UpdateInstanceMetricsAdapter', { instance, enabled })
            equal((await ask('GetInstanceMetricsAdapter', { instance })).enabled, enabled)
          }
        }),
    },
  ],
}
