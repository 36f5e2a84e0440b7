import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { INSTANCE_ROLE_BINDINGS, type InstanceRoleBinding } from '../../../manifests/instance-role-binding.js'
import type { ApiServer } from '../../../playground/apiserver/server.js'
import { ensure, update } from '../../../playground/client/write.js'
import { granted } from '../../../playground/fleet/granted.js'
import { startHost } from '../../../playground/fleet/host.js'
import { GRANTS } from '../../../playground/fleet/names.js'
import { silent } from '../../silent.js'

let host: ApiServer
beforeEach(async () => {
  host = await startHost({ name: 'host', log: silent })
})
afterEach(() => host.close())

/** As Global Management writes them. */
const bind = async (instance: string): Promise<readonly string[]> => {
  const names: string[] = []
  for (const { key, role, subjects } of GRANTS) {
    const name = `${instance}-${key}`
    names.push(name)
    await ensure<InstanceRoleBinding>(host.local, INSTANCE_ROLE_BINDINGS, {
      apiVersion: 'kairship.io/v1alpha1',
      kind: 'InstanceRoleBinding',
      metadata: { name },
      spec: { instance, role, subjects },
    })
  }
  return names
}

/** As Kairship says it. */
const say = (name: string, status: 'True' | 'False', age = 0) =>
  update<InstanceRoleBinding>(
    host.local,
    INSTANCE_ROLE_BINDINGS,
    { name, subresource: 'status' },
    binding => ({
      ...binding,
      status: {
        conditions: [
          {
            type: 'Materialized',
            status,
            reason: 'Tested',
            message: '',
            lastTransitionTime: '2026-01-01T00:00:00Z',
            observedGeneration: (binding.metadata.generation ?? 1) - age,
          },
        ],
      },
    }),
  )

describe('the wait for roles', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['no binding is written yet', async () => undefined],
    ['a binding has no condition', () => bind('eu-west')],
    [
      'one of the bindings is not in effect',
      async () => {
        const [admin, viewer] = await bind('eu-west')
        await say(admin!, 'True')
        await say(viewer!, 'False')
      },
    ],
    [
      'a condition is about an earlier generation',
      async () => {
        const [admin, viewer] = await bind('eu-west')
        await say(admin!, 'True')
        await say(viewer!, 'True', 1)
      },
    ],
    [
      'another instance has its roles',
      async () => {
        for (const name of await bind('us-east')) await say(name, 'True')
      },
    ],
  ])('goes on while %s, and ends with its signal', async (_, arrange) => {
    await arrange()
    const patience = new AbortController()
    const waiting = granted(host.local, ['eu-west'], patience.signal)
    // Its list has been answered when that of another wait has been.
    for (const name of await bind('ap-south')) await say(name, 'True')
    expect(await granted(host.local, ['ap-south'], new AbortController().signal)).toBe(true)
    patience.abort()
    expect(await waiting).toBe(false)
    expect(await granted(host.local, ['ap-south'], patience.signal)).toBe(false)
  })

  it('ends when the last role of the last instance takes effect', async () => {
    const names = [...(await bind('eu-west')), ...(await bind('us-east'))]
    for (const name of names.slice(0, -1)) await say(name, 'True')
    const waiting = granted(host.local, ['eu-west', 'us-east'], new AbortController().signal)
    await say(names.at(-1)!, 'True')
    expect(await waiting).toBe(true)
  })
})
