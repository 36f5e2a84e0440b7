import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { WholeList } from '../../../actors/global-management/binding-list.js'
import { DeliveredBindings } from '../../../actors/global-management/delivered-bindings.js'
import { type DeliveredBinding, sequenceOf } from '../../../manifests/delivered-binding.js'
import { resourcePath } from '../../../manifests/kube.js'
import { WORKSPACE_ROLE_BINDINGS } from '../../../manifests/workspace-role-binding.js'
import type { KubeRequest } from '../../../ports/kube-api.js'
import type { RoleBindingEvent } from '../../../ports/role-binding-deliveries.js'
import { binding, HostOfDeliveries, NOW, occurredAt, PATH, signal } from './host-of-deliveries.js'

const host = new HostOfDeliveries()

describe('the full sync', () => {
  it('stores what was missed, mends what was changed, ends what is not listed, and then writes nothing', async () => {
    const items = [
      { sequence: 2, binding: binding('missed') },
      { sequence: 3, binding: binding('changed', 'eve') },
    ]
    const { sync, deliver, update } = host.syncing(async () => ({ sequence: 9, items }))
    await deliver(update(1, binding('changed')))
    await deliver(update(4, binding('gone')))
    expect(await sync.compare(signal)).toEqual({ stored: 2, ended: 1, heldBack: false })
    expect(await host.given()).toEqual(['changed: Viewer to eve', 'missed: Viewer to ann'])
    const before = await host.stored()
    expect(await sync.compare(signal)).toEqual({ stored: 0, ended: 0, heldBack: false })
    expect(await host.stored()).toEqual(before)
  })

  it('mends again what is changed again while the list stays the same, and what a delivery of no known change left', async () => {
    const items = [{ sequence: 3, binding: binding('team') }]
    const { sync, deliver, update } = host.syncing(async () => ({ sequence: 9, items }))
    await deliver(update(4, binding('team', 'eve')))
    for (const round of ['a delivery', 'a person']) {
      expect([round, await sync.compare(signal)]).toEqual([round, { stored: 1, ended: 0, heldBack: false }])
      expect(await host.given()).toEqual(['team: Viewer to ann'])
      const [found] = await host.stored()
      const spec = { ...found?.spec, subjects: [{ kind: 'User', name: 'eve' }] }
      await host.api.request({ method: 'PUT', path: `${PATH}/team`, body: { ...found, spec } })
    }
  })

  it('remembers the newest change of what was right already, so that one of before does not come after it', async () => {
    const items = [{ sequence: 5, binding: binding('team') }]
    const { sync, deliver, update } = host.syncing(async () => ({ sequence: 9, items }))
    await deliver(update(1, binding('team')))
    await sync.compare(signal)
    expect(await deliver(update(3, binding('team', 'eve')))).toBe('outdated')
    expect(await host.given()).toEqual(['team: Viewer to ann'])
  })

  it('leaves what came after the list was made, and what was not delivered', async () => {
    const { sync, deliver, update } = host.syncing(async () => ({
      ...{ sequence: 9, items: [{ sequence: 2, binding: binding('newer') }] },
    }))
    await deliver(update(10, binding('newer', 'eve')))
    await deliver(update(11, binding('unlisted')))
    const metadata = { name: 'by-hand' }
    const spec = { instance: 'eu', role: 'Viewer', subjects: [{ kind: 'User', name: 'bob' }] }
    const body = { apiVersion: 'kairship.io/v1alpha1', kind: 'InstanceRoleBinding', metadata, spec }
    await host.api.request({ method: 'POST', path: PATH, body })
    await sync.compare(signal)
    expect(await host.given()).toEqual([
      'by-hand: Viewer to bob',
      'newer: Viewer to eve',
      'unlisted: Viewer to ann',
    ])
  })

  it('reads nothing on the host of what came after the list was made, which may be all that there is', async () => {
    const items = [{ sequence: 2, binding: binding('newer') }]
    const { deliver, update } = host.syncing(async () => ({ sequence: 9, items }))
    await deliver(update(10, binding('newer', 'eve')))
    const asked: string[] = []
    const request = <T>(sent: KubeRequest) => {
      asked.push(`${sent.method} ${sent.path}`)
      return host.api.request<T>(sent)
    }
    const { sync } = host.syncing(async () => ({ sequence: 9, items }), { ...host.api, request })
    await sync.compare(signal)
    expect(asked).toEqual([`GET ${PATH}`, `GET ${resourcePath(WORKSPACE_ROLE_BINDINGS)}`])
  })

  it('ends everything by an empty list only when the next one is empty too', async () => {
    let items: WholeList['items'] = []
    const { sync, deliver, update } = host.syncing(async () => ({ sequence: 9, items }))
    await deliver(update(1, binding('team')))
    expect(await sync.compare(signal)).toMatchObject({ ended: 0, heldBack: true })
    items = [{ sequence: 1, binding: binding('team') }]
    await sync.compare(signal)
    items = []
    expect(await sync.compare(signal)).toMatchObject({ ended: 0, heldBack: true })
    expect(await sync.compare(signal)).toMatchObject({ ended: 1, heldBack: false })
    expect(await host.given()).toEqual([])
  })

  it('says that the list is older than what was stored long before it, and what helps, which then does', async () => {
    let sequence = 20
    const { sync, deliver, update } = host.syncing(async () => ({ sequence, items: [] }))
    await deliver(update(20, binding('team')))
    await sync.compare(signal)
    // What came while the list was made is no sign of that.
    sequence = 21
    await deliver(update(22, binding('team')))
    await sync.compare(signal)
    sequence = 5
    await expect(sync.compare(signal)).rejects.toThrow(
      /its sequence is 5, .* is 22: .*kairship\.io\/delivered-sequence/,
    )
    expect(await host.given()).toEqual(['team: Viewer to ann'])
    const metadata = { annotations: { 'kairship.io/delivered-sequence': null } }
    await host.api.request({
      ...{ method: 'PATCH', path: `${PATH}/team`, contentType: 'application/merge-patch+json' },
      body: { metadata },
    })
    await sync.compare(signal).catch(() => undefined)
    await sync.compare(signal)
    expect(await host.given()).toEqual([])
  })

  it('changes nothing by a list that could not be read', async () => {
    const { sync, deliver, update } = host.syncing(() => Promise.reject(new Error('incomplete')))
    await deliver(update(1, binding('team')))
    await expect(sync.compare(signal)).rejects.toThrow('incomplete')
    expect(await host.given()).toEqual(['team: Viewer to ann'])
  })
})

type Step =
  | { readonly do: 'set'; readonly name: string; readonly user: string; readonly role: 'Viewer' | 'Admin' }
  | { readonly do: 'delete'; readonly name: string }
  | { readonly do: 'delete user'; readonly user: string }

const names = fc.constantFrom('a', 'b', 'c')
const users = fc.constantFrom('ann', 'bob')
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('set' as const),
    name: names,
    user: users,
    role: fc.constantFrom('Viewer' as const, 'Admin' as const),
  }),
  fc.record({ do: fc.constant('delete' as const), name: names }),
  fc.record({ do: fc.constant('delete user' as const), user: users }),
)

/** Global Management: what is given, and the events that it sends. */
function globalManagement(steps: readonly Step[]) {
  const now = new Map<string, { readonly sequence: number; readonly binding: DeliveredBinding }>()
  const events: RoleBindingEvent[] = []
  for (const [index, one] of steps.entries()) {
    const sequence = index + 1
    const common = { sequence, occurredAt }
    if (one.do === 'set') {
      const set = binding(one.name, one.user, one.role)
      now.set(one.name, { sequence, binding: set })
      events.push({ ...common, type: 'binding.updated', binding: set })
    } else if (one.do === 'delete') {
      const known = now.get(one.name)
      now.delete(one.name)
      if (known) events.push({ ...common, type: 'binding.deleted', binding: known.binding })
    } else {
      for (const [name, { binding }] of now)
        if (binding.subjects.some(({ name }) => name === one.user)) now.delete(name)
      events.push({ ...common, type: 'user.deleted', name: one.user })
    }
  }
  return { events, sequence: steps.length, items: [...now.values()] }
}

it('whatever is delivered twice, late or never, one comparison later the host has what Global Management has, and no sequence went back', async () => {
  const plan = fc.array(fc.record({ of: fc.nat(30), as: fc.constantFrom('once', 'twice') }), {
    maxLength: 14,
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 10 }), plan, async (steps, deliveries) => {
      await host.clear()
      const { events, sequence, items } = globalManagement(steps)
      const { sync } = host.syncing(async () => ({ sequence, items }))
      const sequences = new Map<string, number>()
      for (const { of, as } of deliveries) {
        const event = events[of % Math.max(1, events.length)]
        if (!event) continue
        // Each through a replica of its own: nothing is remembered but what the host has.
        const replica = () => new DeliveredBindings(host.api, () => NOW)
        await replica().take(event, signal)
        if (as === 'twice') await replica().take(event, signal)
        for (const binding of await host.stored()) {
          const { name } = binding.metadata
          expect(sequenceOf(binding)).toBeGreaterThanOrEqual(sequences.get(name) ?? 0)
          sequences.set(name, sequenceOf(binding))
        }
      }
      await sync.compare(signal)
      await sync.compare(signal)
      expect(await host.given()).toEqual(
        items
          .map(
            ({ binding: { name, role, subjects } }) => `${name}: ${role} to ${subjects.map(it => it.name)}`,
          )
          .sort(),
      )
    }),
    { numRuns: 40 },
  )
})
