import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { DeliveredBindings } from '../../../actors/global-management/delivered-bindings.js'
import {
  DELIVERED_LABEL,
  type DeliveredBinding,
  isDelivered,
  type StoredBinding,
} from '../../../manifests/delivered-binding.js'
import { INSTANCE_ROLE_BINDINGS } from '../../../manifests/instance-role-binding.js'
import { resourcePath } from '../../../manifests/kube.js'
import { isOver } from '../../../manifests/role-end.js'
import { WORKSPACE_ROLE_BINDINGS } from '../../../manifests/workspace-role-binding.js'
import type { ApiServer } from '../../../playground/apiserver/server.js'
import { startHost } from '../../../playground/fleet/host.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import { BusyBindingError, type RoleBindingEvent } from '../../../ports/role-binding-deliveries.js'
import { refusal } from '../scripted-api.js'

const signal = new AbortController().signal
const NOW = Date.parse('2026-11-24T12:00:00Z')
const at = (ms = 0) => new Date(NOW + ms).toISOString()
const team = (spec: Partial<DeliveredBinding> = {}): DeliveredBinding =>
  ({
    name: 'team',
    instance: 'eu',
    role: 'Editor',
    subjects: [{ kind: 'User', name: 'ann' }],
    ...spec,
  }) as DeliveredBinding
const bank = (spec: Partial<DeliveredBinding> = {}): DeliveredBinding =>
  ({
    name: 'bank',
    workspace: 'bank',
    role: 'Viewer',
    subjects: [{ kind: 'Group', name: 'dev' }],
    ...spec,
  }) as DeliveredBinding
const set = (sequence: number, binding: DeliveredBinding): RoleBindingEvent => ({
  ...{ type: 'binding.updated', sequence, occurredAt: at() },
  binding,
})
const deleted = (sequence: number, binding: DeliveredBinding, occurredAt = at()): RoleBindingEvent => ({
  ...{ type: 'binding.deleted', sequence, occurredAt },
  binding,
})
const userDeleted = (sequence: number, name: string): RoleBindingEvent => ({
  ...{ type: 'user.deleted', sequence, occurredAt: at() },
  name,
})
const groupDeleted = (sequence: number, name: string): RoleBindingEvent => ({
  ...{ type: 'group.deleted', sequence, occurredAt: at() },
  name,
})

let host: ApiServer
beforeAll(async () => {
  host = await startHost({ name: 'host' })
})
afterAll(() => host.close())
beforeEach(async () => {
  for (const type of [INSTANCE_ROLE_BINDINGS, WORKSPACE_ROLE_BINDINGS])
    await host.local.request({ method: 'DELETE', path: resourcePath(type) })
})

const deliveries = (api: KubeApi = host.local, now = () => NOW) => new DeliveredBindings(api, now)
async function stored(): Promise<readonly StoredBinding[]> {
  const lists = await Promise.all(
    [INSTANCE_ROLE_BINDINGS, WORKSPACE_ROLE_BINDINGS].map(type =>
      host.local.request<{ items: StoredBinding[] }>({ method: 'GET', path: resourcePath(type) }),
    ),
  )
  return lists.flatMap(({ items }) => items)
}
/** What is given now, in words. */
const given = async () =>
  (await stored())
    .filter(binding => !isOver(binding, NOW))
    .map(({ metadata, spec }) => `${metadata.name}: ${spec.role} to ${spec.subjects.map(({ name }) => name)}`)

describe('a delivery', () => {
  it('is stored as an object of its kind, marked as delivered, and once', async () => {
    const receiver = deliveries()
    expect(await receiver.take(set(1, team({ reason: 'INC-1', expiresAt: at(1_000) })), signal)).toBe(
      'stored',
    )
    expect(await receiver.take(set(2, bank()), signal)).toBe('stored')
    const before = await stored()
    expect(before.map(({ kind, spec }) => [kind, spec])).toEqual([
      [
        'InstanceRoleBinding',
        {
          ...{ instance: 'eu', role: 'Editor', subjects: [{ kind: 'User', name: 'ann' }] },
          ...{ expiresAt: at(1_000), reason: 'INC-1' },
        },
      ],
      [
        'WorkspaceRoleBinding',
        { workspace: 'bank', role: 'Viewer', subjects: [{ kind: 'Group', name: 'dev' }] },
      ],
    ])
    expect(before.every(isDelivered)).toBe(true)
    expect(await receiver.take(set(2, bank()), signal)).toBe('unchanged')
    expect((await stored()).map(({ metadata }) => metadata.resourceVersion)).toEqual(
      before.map(({ metadata }) => metadata.resourceVersion),
    )
  })

  it.each<[string, RoleBindingEvent[], string[]]>([
    [
      'an older change after a newer one',
      [set(2, team({ role: 'Viewer' })), set(1, team())],
      ['team: Viewer to ann'],
    ],
    ['a change after the deletion that follows it', [set(1, team()), deleted(3, team()), set(2, team())], []],
    ['a deletion before what it deletes', [deleted(2, team()), set(1, team())], []],
    ['a deletion before a newer creation', [set(3, team()), deleted(2, team())], ['team: Editor to ann']],
    [
      'a creation after a deletion',
      [set(1, team()), deleted(2, team()), set(3, team())],
      ['team: Editor to ann'],
    ],
    ['a deletion twice', [set(1, team()), deleted(2, team()), deleted(2, team())], []],
    [
      'a user that is deleted: one binding ends, the other loses a subject',
      [
        set(1, team()),
        set(
          2,
          bank({
            subjects: [
              { kind: 'User', name: 'ann' },
              { kind: 'Group', name: 'ann' },
            ],
          }),
        ),
        userDeleted(3, 'ann'),
        set(1, team()),
      ],
      ['bank: Viewer to ann'],
    ],
    [
      'a group that is deleted: users of its name stay',
      [set(1, bank()), set(2, team({ subjects: [{ kind: 'User', name: 'dev' }] })), groupDeleted(3, 'dev')],
      ['team: Editor to dev'],
    ],
    [
      'a user that is deleted after all that it had has ended',
      [set(1, team()), deleted(2, team()), userDeleted(3, 'ann')],
      [],
    ],
    [
      'a user that is deleted before a newer binding',
      [set(4, team()), userDeleted(3, 'ann')],
      ['team: Editor to ann'],
    ],
    ['a binding after the deletion of its user that follows it', [userDeleted(3, 'ann'), set(1, team())], []],
    [
      'a binding with an end after the deletion of its user',
      [userDeleted(3, 'ann'), set(1, team({ expiresAt: at(9_000) }))],
      [],
    ],
    [
      'a binding of two users after the deletion of one',
      [
        userDeleted(3, 'ann'),
        set(
          1,
          team({
            subjects: [
              { kind: 'User', name: 'ann' },
              { kind: 'User', name: 'bob' },
            ],
          }),
        ),
      ],
      ['team: Editor to bob'],
    ],
    [
      'what was taken from a second user, after the deletion of the first that follows it',
      [
        set(
          1,
          team({
            subjects: [
              { kind: 'User', name: 'ann' },
              { kind: 'User', name: 'bob' },
            ],
          }),
        ),
        userDeleted(3, 'ann'),
        set(
          2,
          team({
            subjects: [
              { kind: 'User', name: 'ann' },
              { kind: 'User', name: 'eve' },
            ],
          }),
        ),
      ],
      ['team: Editor to eve'],
    ],
    [
      'a user of the name of one that was deleted, and a group',
      [userDeleted(1, 'ann'), set(2, team()), userDeleted(1, 'dev'), set(3, bank())],
      ['team: Editor to ann', 'bank: Viewer to dev'],
    ],
    [
      'another instance under the same name',
      [set(1, team()), set(2, team({ instance: 'us' } as never))],
      ['team: Editor to ann'],
    ],
  ])('ends right: %s', async (_, events, expected) => {
    const receiver = deliveries()
    for (const event of events) await receiver.take(event, signal)
    expect(await given()).toEqual(expected)
  })

  it('of a deletion that says it happens tomorrow ends the binding now', async () => {
    const receiver = deliveries()
    await receiver.take(set(1, team()), signal)
    await receiver.take(deleted(2, team(), at(86_400_000)), signal)
    expect(await given()).toEqual([])
  })

  it('that is older than an ended binding stays is acknowledged and left out', async () => {
    const old = { ...set(1, team()), occurredAt: at(-23 * 3_600_000 - 1) }
    expect(await deliveries().take(old, signal)).toBe('outdated')
    expect(await stored()).toEqual([])
  })

  it('changes no binding that was not delivered', async () => {
    const metadata = { name: 'team' }
    const body = {
      ...{ apiVersion: 'kairship.io/v1alpha1', kind: 'InstanceRoleBinding', metadata },
      spec: { instance: 'eu', role: 'Viewer', subjects: [{ kind: 'User', name: 'bob' }] },
    }
    await host.local.request({ method: 'POST', path: resourcePath(INSTANCE_ROLE_BINDINGS), body })
    await expect(deliveries().take(set(1, team()), signal)).rejects.toThrow(
      'the InstanceRoleBinding "team" was not delivered',
    )
    await deliveries().take(userDeleted(9, 'bob'), signal)
    expect(await given()).toEqual(['team: Viewer to bob'])
  })

  it('takes nothing for the memory of a deleted user that was not delivered', async () => {
    await deliveries().take(userDeleted(9, 'ann'), signal)
    const [memory] = await stored()
    const { labels = {}, annotations, name } = memory?.metadata ?? { name: '' }
    const path = resourcePath(WORKSPACE_ROLE_BINDINGS)
    await host.local.request({ method: 'DELETE', path: `${path}/${name}` })
    const { [DELIVERED_LABEL]: _, ...others } = labels
    const forged = { ...memory, metadata: { name, labels: others, annotations } }
    await host.local.request({ method: 'POST', path, body: forged })
    await deliveries().take(set(1, team()), signal)
    expect(await given()).toEqual(['team: Editor to ann'])
  })

  it('says whether anything was stored of it, also of a user that is deleted', async () => {
    const receiver = deliveries()
    await receiver.take(set(1, team()), signal)
    expect(await receiver.take(userDeleted(2, 'ann'), signal)).toBe('stored')
    expect(await receiver.take(userDeleted(2, 'ann'), signal)).toBe('unchanged')
  })

  it('says of a late binding of a deleted user that it is stored, once', async () => {
    const receiver = deliveries()
    expect(await receiver.take(userDeleted(3, 'ann'), signal)).toBe('stored')
    expect(await receiver.take(set(1, team()), signal)).toBe('stored')
    expect(await receiver.take(set(1, team()), signal)).toBe('unchanged')
    expect(await given()).toEqual([])
  })

  it('of a user’s deletion and of a binding that it follows, at once through two replicas, gives the user nothing', async () => {
    const [one, other] = [deliveries(), deliveries()]
    for (let round = 0; round < 20; round++) {
      const base = round * 4
      await Promise.all([
        one.take(set(base + 1, team({ name: `team-${round}` })), signal),
        other.take(userDeleted(base + 2, 'ann'), signal),
      ])
      expect(await given()).toEqual([])
    }
  })

  it('leaves the object, and the labels and annotations that people gave it, where what it is about stays', async () => {
    const receiver = deliveries()
    await receiver.take(set(1, team()), signal)
    const path = resourcePath(INSTANCE_ROLE_BINDINGS, { name: 'team' })
    const mark = { 'example.com/ticket': '7' }
    const body = { metadata: { labels: mark, annotations: mark } }
    const marked = await host.local.request<StoredBinding>({
      ...{ method: 'PATCH', path, body, contentType: 'application/merge-patch+json' },
    })
    await receiver.take(set(2, team({ namespaces: ['shop'], expiresAt: at(9_000) } as never)), signal)
    const [after] = await stored()
    expect(after?.metadata).toMatchObject({ uid: marked.metadata.uid, labels: mark, annotations: mark })
    expect(after?.spec).toMatchObject({ namespaces: ['shop'], expiresAt: at(9_000) })
  })

  it('that others forestall again and again is not acknowledged', async () => {
    await deliveries().take(set(1, team()), signal)
    let tries = 0
    const api: KubeApi = {
      ...host.local,
      request: request => {
        if (request.method !== 'PUT') return host.local.request(request)
        tries++
        return Promise.reject(refusal(409, 'Conflict'))
      },
    }
    await expect(
      deliveries(api).take(set(2, team({ subjects: [{ kind: 'User', name: 'bob' }] })), signal),
    ).rejects.toThrow(BusyBindingError)
    await expect(deliveries(api).take(userDeleted(3, 'ann'), signal)).rejects.toThrow(BusyBindingError)
    expect(tries).toBe(10)
  })

  it('asks the host for what it names alone, and lists nothing unless it names many', async () => {
    const asked: string[] = []
    const counting: KubeApi = {
      ...host.local,
      request: request => {
        asked.push(`${request.method} ${request.query ? 'list' : 'one'}`)
        return host.local.request(request)
      },
    }
    const of = (count: number) =>
      Array.from({ length: count }, (_, n) => ({ kind: 'User' as const, name: `u${n}` }))
    await deliveries(counting).take(userDeleted(9, 'u0'), signal)
    asked.length = 0
    const account = { kind: 'ServiceAccount' as const, namespace: 'ci', name: 'deployer' }
    await deliveries(counting).take(set(5, team({ subjects: [...of(2), account] })), signal)
    expect(asked).toEqual(['GET one', 'GET one', 'GET one', 'POST one', 'GET one', 'GET one'])
    asked.length = 0
    await deliveries(counting).take(set(6, bank({ subjects: of(9) })), signal)
    expect(asked).toEqual(['GET list', 'GET one', 'POST one', 'GET list'])
    expect(await given()).toEqual([
      'team: Editor to u1,deployer',
      `bank: Viewer to ${of(9)
        .slice(1)
        .map(({ name }) => name)}`,
    ])
  })

  it('takes nothing from a user by an object that somebody else has called so', async () => {
    await deliveries().take(userDeleted(9, 'ann'), signal)
    const [remembered] = await stored()
    const { metadata, ...rest } = remembered!
    const path = resourcePath(WORKSPACE_ROLE_BINDINGS)
    await host.local.request({ method: 'DELETE', path: `${path}/${metadata.name}` })
    const { labels: _, ...unmarked } = metadata
    const { uid: _uid, resourceVersion: _version, ...fresh } = unmarked
    await host.local.request({ method: 'POST', path, body: { ...rest, metadata: fresh } })
    await deliveries().take(set(5, team()), signal)
    expect(await given()).toEqual(['team: Editor to ann'])
  })

  it('is rejected when the host does not store it, and stored when it comes again', async () => {
    let isDown = true
    const api: KubeApi = {
      ...host.local,
      request: request =>
        isDown && request.method === 'POST'
          ? Promise.reject(new Error('reset'))
          : host.local.request(request),
    }
    await expect(deliveries(api).take(set(1, team()), signal)).rejects.toThrow('reset')
    isDown = false
    expect(await deliveries(api).take(set(1, team()), signal)).toBe('stored')
  })

  it('through two replicas at once ends with the newest, whichever is faster', async () => {
    const [one, other] = [deliveries(), deliveries()]
    for (let round = 0; round < 10; round++) {
      const base = round * 4
      await Promise.all([
        one.take(set(base + 1, team()), signal),
        other.take(set(base + 3, team({ role: 'Viewer' })), signal),
        one.take(set(base + 2, team({ subjects: [{ kind: 'User', name: 'bob' }] })), signal),
        other.take(set(base + 4, team({ subjects: [{ kind: 'User', name: 'eve' }] })), signal),
      ])
      expect(await given()).toEqual(['team: Editor to eve'])
    }
  })
})
