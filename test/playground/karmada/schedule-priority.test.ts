import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ensure } from '../../../playground/client/write.js'
import { DEPLOYMENTS, PRIORITY_CLASSES } from '../../../playground/objects/core-types.js'
import { eventually } from '../eventually.js'
import { deployment, duplicated, POLICIES, PropagationWorld, policyFor } from './propagation-world.js'

let world: PropagationWorld
beforeAll(async () => {
  world = await PropagationWorld.start(['m1'])
})
afterAll(() => world.close())

const priorityClass = (name: string, value: number) => ({
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name },
  value,
})

describe('a policy with a PriorityClass', () => {
  it('gives bindings its value, and none is created before the class exists', async () => {
    const schedulePriority = { priorityClassSource: 'KubePriorityClass', priorityClassName: 'urgent' }
    await ensure(
      world.control,
      POLICIES,
      policyFor('Deployment', 'web', duplicated('m1'), { schedulePriority }),
    )
    await ensure(world.control, DEPLOYMENTS, deployment('web', 1))
    const why = await eventually('the refusal to be told', async () => {
      const path = '/api/v1/namespaces/default/events'
      const { items } = await world.control.request<{ items: { reason: string; message: string }[] }>({
        method: 'GET',
        path,
      })
      return items.find(({ reason }) => reason === 'ApplyPolicyFailed')?.message
    })
    expect(why).toBe('Apply policy(default/p-web) failed: PriorityClass.scheduling.k8s.io "urgent" not found')
    expect(await world.binding('web')).toBeUndefined()
    await ensure(world.control, PRIORITY_CLASSES, priorityClass('urgent', 1_000))
    const binding = await eventually('the binding', () => world.binding('web'))
    expect(binding.spec.schedulePriority).toEqual({ priority: 1_000 })
  })
})
