import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { WholeList } from '../../../actors/global-management/binding-list.js'
import { DeliveredBindings } from '../../../actors/global-management/delivered-bindings.js'
import { FullSync } from '../../../actors/global-management/full-sync.js'
import {
  type DeliveredBinding,
  type StoredBinding,
  sequenceOf,
} from '../../../manifests/delivered-binding.js'
import { INSTANCE_ROLE_BINDINGS } from '../../../manifests/instance-role-binding.js'
import { resourcePath } from '../../../manifests/kube.js'
import { isOver } from '../../../manifests/role-end.js'
import { type Status, StatusError } from '../../../manifests/status-error.js'
import { WORKSPACE_ROLE_BINDINGS } from '../../../manifests/workspace-role-binding.js'
import type { ApiServer } from '../../../playground/apiserver/server.js'
import { startHost } from '../../../playground/fleet/host.js'
import type { KubeApi, KubeRequest } from '../../../ports/kube-api.js'
import type { RoleBindingEvent } from '../../../ports/role-binding-deliveries.js'
import { fakeLog } from '../../http/fakes/log.js'
import { silent, unmetered } from '../../silent.js'

const signal = new AbortController().signal
const NOW = Date.parse('2026-11-24T12:00:00Z')
const occurredAt = new Date(NOW).toISOString()
let host: ApiServer
beforeAll(async () => {
  host = await startHost({ name: 'host' })
})
afterAll(() => host.close())
const path = resourcePath(INSTANCE_ROLE_BINDINGS)
const clear = async () => {
  // With what is remembered of deleted users.
  for (const all of [path, resourcePath(WORKSPACE_ROLE_BINDINGS)])
    await host.local.request({ method: 'DELETE', path: all })
}
beforeEach(clear)

const binding = (name: string, user = 'ann', role: 'Viewer' | 'Admin' = 'Viewer'): DeliveredBinding => ({
  ...{ name, instance: 'eu', role },
  subjects: [{ kind: 'User', name: user }],
})
const stored = async () =>
  (await host.local.request<{ items: StoredBinding[] }>({ method: 'GET', path })).items
const given = async () =>
  (await stored())
    .filter(binding => !isOver(binding, NOW))
    .map(({ metadata, spec }) => `${metadata.name}: ${spec.role} to ${spec.subjects.map(({ name }) => name)}`)
    .sort()

const denial = (code: number, message: string): Status => ({
  ...{ apiVersion: 'v1', kind: 'Status', metadata: {}, status: 'Failure', reason: '' },
  ...{ code, message },
})

/** The host, whose admission refuses writes of bindings of these names, and how many it has refused. */
function refusing(code: number, refuses: (name: string) => boolean, why = '') {
  const refused = { count: 0 }
  const request = async <T>(sent: KubeRequest): Promise<T> => {
    const { metadata } = (sent.body ?? {}) as { metadata?: { name?: string } }
    if (!metadata?.name || !refuses(metadata.name)) return host.local.request<T>(sent)
    refused.count += 1
    throw new StatusError(denial(code, why || `${metadata.name} is denied`))
  }
  return { refused, api: { ...host.local, request } }
}

/** A full sync over a list that a test sets, and the way in of deliveries. */
function syncing(list: () => Promise<WholeList>, api: KubeApi = host.local) {
  const bindings = new DeliveredBindings(api, () => NOW)
  const sync = new FullSync({
    ...{ bindings, everyMs: 1_000, log: silent, meter: unmetered, now: () => NOW },
    list: { whole: list },
    leadership: () => ({ leading: true, signal }),
  })
  const update = (sequence: number, one: DeliveredBinding): RoleBindingEvent => ({
    ...{ type: 'binding.updated', sequence, occurredAt },
    binding: one,
  })
  return { sync, update, deliver: (event: RoleBindingEvent) => bindings.take(event, signal) }
}

describe('the full sync', () => {
  it('stores what was missed, mends what was changed, ends what is not listed, and then writes nothing', async () => {
    const items = [
      { sequence: 2, binding: binding('missed') },
      { sequence: 3, binding: binding('changed', 'eve') },
    ]
    const { sync, deliver, update } = syncing(async () => ({ sequence: 9, items }))
    await deliver(update(1, binding('changed')))
    await deliver(update(4, binding('gone')))
    expect(await sync.compare(signal)).toEqual({ stored: 2, ended: 1, heldBack: false })
    expect(await given()).toEqual(['changed: Viewer to eve', 'missed: Viewer to ann'])
    const before = await stored()
    expect(await sync.compare(signal)).toEqual({ stored: 0, ended: 0, heldBack: false })
    expect(await stored()).toEqual(before)
  })

  it('mends again what is changed again while the list stays the same, and what a delivery of no known change left', async () => {
    const items = [{ sequence: 3, binding: binding('team') }]
    const { sync, deliver, update } = syncing(async () => ({ sequence: 9, items }))
    await deliver(update(4, binding('team', 'eve')))
    for (const round of ['a delivery', 'a person']) {
      expect([round, await sync.compare(signal)]).toEqual([round, { stored: 1, ended: 0, heldBack: false }])
      expect(await given()).toEqual(['team: Viewer to ann'])
      const [found] = await stored()
      const spec = { ...found?.spec, subjects: [{ kind: 'User', name: 'eve' }] }
      await host.local.request({ method: 'PUT', path: `${path}/team`, body: { ...found, spec } })
    }
  })

  it('remembers the newest change of what was right already, so that one of before does not come after it', async () => {
    const items = [{ sequence: 5, binding: binding('team') }]
    const { sync, deliver, update } = syncing(async () => ({ sequence: 9, items }))
    await deliver(update(1, binding('team')))
    await sync.compare(signal)
    expect(await deliver(update(3, binding('team', 'eve')))).toBe('outdated')
    expect(await given()).toEqual(['team: Viewer to ann'])
  })

  it('leaves what came after the list was made, and what was not delivered', async () => {
    const { sync, deliver, update } = syncing(async () => ({
      ...{ sequence: 9, items: [{ sequence: 2, binding: binding('newer') }] },
    }))
    await deliver(update(10, binding('newer', 'eve')))
    await deliver(update(11, binding('unlisted')))
    const metadata = { name: 'by-hand' }
    const spec = { instance: 'eu', role: 'Viewer', subjects: [{ kind: 'User', name: 'bob' }] }
    const body = { apiVersion: 'kairship.io/v1alpha1', kind: 'InstanceRoleBinding', metadata, spec }
    await host.local.request({ method: 'POST', path, body })
    await sync.compare(signal)
    expect(await given()).toEqual([
      'by-hand: Viewer to bob',
      'newer: Viewer to eve',
      'unlisted: Viewer to ann',
    ])
  })

  it('reads nothing on the host of what came after the list was made, which may be all that there is', async () => {
    const items = [{ sequence: 2, binding: binding('newer') }]
    const { deliver, update } = syncing(async () => ({ sequence: 9, items }))
    await deliver(update(10, binding('newer', 'eve')))
    const asked: string[] = []
    const request = <T>(sent: KubeRequest) => {
      asked.push(`${sent.method} ${sent.path}`)
      return host.local.request<T>(sent)
    }
    const { sync } = syncing(async () => ({ sequence: 9, items }), { ...host.local, request })
    await sync.compare(signal)
    expect(asked).toEqual([`GET ${path}`, `GET ${resourcePath(WORKSPACE_ROLE_BINDINGS)}`])
  })

  it('ends everything by an empty list only when the next one is empty too', async () => {
    let items: WholeList['items'] = []
    const { sync, deliver, update } = syncing(async () => ({ sequence: 9, items }))
    await deliver(update(1, binding('team')))
    expect(await sync.compare(signal)).toMatchObject({ ended: 0, heldBack: true })
    items = [{ sequence: 1, binding: binding('team') }]
    await sync.compare(signal)
    items = []
    expect(await sync.compare(signal)).toMatchObject({ ended: 0, heldBack: true })
    expect(await sync.compare(signal)).toMatchObject({ ended: 1, heldBack: false })
    expect(await given()).toEqual([])
  })

  it('stores all others where single bindings cannot be, and says of those how many and why', async () => {
    const body = {
      ...{ apiVersion: 'kairship.io/v1alpha1', kind: 'InstanceRoleBinding', metadata: { name: 'by-hand' } },
      spec: { instance: 'eu', role: 'Viewer', subjects: [{ kind: 'User', name: 'bob' }] },
    }
    await host.local.request({ method: 'POST', path, body })
    // A time that has more digits than the host takes.
    const long = { ...binding('long'), expiresAt: `2027-01-01T00:00:00.${'0'.repeat(100)}Z` }
    const items = [binding('by-hand'), long, binding('last')].map(binding => ({ sequence: 2, binding }))
    const { sync } = syncing(async () => ({ sequence: 9, items }))
    await expect(sync.compare(signal)).rejects.toThrow(
      /2 of its bindings could not be stored, InstanceRoleBinding\/by-hand: .*somebody else's/,
    )
    expect(await given()).toEqual(['by-hand: Viewer to bob', 'last: Viewer to ann'])
  })

  it.each([400, 403, 409, 413, 422, 500])(
    'ends and stores all others where the host refuses single bindings with %i, and says of both how many and why',
    async code => {
      const { api } = refusing(code, name => name.startsWith('kept'))
      const items = [binding('kept-out'), binding('last')].map(binding => ({ sequence: 9, binding }))
      const { sync } = syncing(async () => ({ sequence: 9, items }), api)
      const { deliver, update } = syncing(async () => ({ sequence: 9, items }))
      await deliver(update(1, binding('kept')))
      await deliver(update(2, binding('zone')))
      await expect(sync.compare(signal)).rejects.toThrow(
        '1 bindings that it does not have could not be ended, InstanceRoleBinding/kept: kept is denied; ' +
          '1 of its bindings could not be stored, InstanceRoleBinding/kept-out: kept-out is denied',
      )
      expect(await given()).toEqual(['kept: Viewer to ann', 'last: Viewer to ann'])
    },
  )

  it.each([401, 404, 429, 503])('goes no further where the host answers with %i', async code => {
    const { api, refused } = refusing(code, () => true)
    const items = ['a', 'b'].map(name => ({ sequence: 2, binding: binding(name) }))
    const { sync } = syncing(async () => ({ sequence: 9, items }), api)
    await expect(sync.compare(signal)).rejects.toThrow(/^[ab] is denied$/)
    expect(refused.count).toBe(1)
  })

  it('gives up, and says so, where the host refuses more than 100 bindings in a row', async () => {
    const { api, refused } = refusing(403, () => true)
    const items = Array.from({ length: 150 }, (_, at) => ({ sequence: 2, binding: binding(`b${at}`) }))
    const { sync } = syncing(async () => ({ sequence: 9, items }), api)
    await expect(sync.compare(signal)).rejects.toThrow(/101 of its bindings .*the others were not tried/)
    expect(refused.count).toBe(101)
  })

  it('stores nothing where the host refuses one end after the other', async () => {
    const names = Array.from({ length: 102 }, (_, at) => `b${at}`)
    const { api } = refusing(403, name => name.startsWith('b'))
    const items = [{ sequence: 200, binding: binding('new') }]
    const { sync } = syncing(async () => ({ sequence: 200, items }), api)
    const { deliver, update } = syncing(async () => ({ sequence: 200, items }))
    for (const [at, name] of names.entries()) await deliver(update(at + 1, binding(name)))
    await expect(sync.compare(signal)).rejects.toThrow(/^101 bindings that it does not have .*not tried$/)
    expect(await given()).toHaveLength(102)
  })

  it('names three of the refused bindings at most, each with the beginning of its reason', async () => {
    const { api } = refusing(403, () => true, 'because '.repeat(1_000))
    const items = ['a', 'b', 'c', 'd', 'e'].map(name => ({ sequence: 2, binding: binding(name) }))
    const { sync } = syncing(async () => ({ sequence: 9, items }), api)
    const message = await sync.compare(signal).then(
      () => 'nothing was refused',
      (error: Error) => error.message,
    )
    expect(message.match(/InstanceRoleBinding\/[a-e]: because/g)).toHaveLength(3)
    expect(message.length).toBeLessThan(1_100)
  })

  it('ends what somebody else changes meanwhile', async () => {
    const { deliver, update } = syncing(async () => ({ sequence: 9, items: [] }))
    await deliver(update(1, binding('gone')))
    await deliver(update(2, binding('stays')))
    let changes = 1
    const request = async <T>(sent: KubeRequest): Promise<T> => {
      if (sent.method === 'PUT' && changes-- > 0)
        await host.local.request({
          ...{ method: 'PATCH', path: `${path}/gone`, contentType: 'application/merge-patch+json' },
          body: { metadata: { labels: { changed: 'meanwhile' } } },
        })
      return host.local.request<T>(sent)
    }
    const items = [{ sequence: 2, binding: binding('stays') }]
    const { sync } = syncing(async () => ({ sequence: 9, items }), { ...host.local, request })
    expect(await sync.compare(signal)).toEqual({ stored: 0, ended: 1, heldBack: false })
    expect(await given()).toEqual(['stays: Viewer to ann'])
  })

  it('names what it could not end because others change it again and again', async () => {
    const { deliver, update } = syncing(async () => ({ sequence: 9, items: [] }))
    await deliver(update(1, binding('gone')))
    const request = async <T>(sent: KubeRequest): Promise<T> => {
      if (sent.method !== 'PUT') return host.local.request<T>(sent)
      throw new StatusError({ ...denial(409, 'changed'), reason: 'Conflict' })
    }
    const items = [{ sequence: 2, binding: binding('stays') }]
    const { sync } = syncing(async () => ({ sequence: 9, items }), { ...host.local, request })
    await expect(sync.compare(signal)).rejects.toThrow(
      /1 bindings .* could not be ended, .*still gives its role/,
    )
  })

  it('goes no further where the host does not answer', async () => {
    const store = vi.spyOn(DeliveredBindings.prototype, 'store')
    onTestFinished(() => store.mockRestore())
    store.mockRejectedValue(new Error('connect ECONNREFUSED'))
    const items = ['a', 'b'].map(name => ({ sequence: 2, binding: binding(name) }))
    const { sync } = syncing(async () => ({ sequence: 9, items }))
    await expect(sync.compare(signal)).rejects.toThrow('ECONNREFUSED')
    expect(store).toHaveBeenCalledTimes(1)
  })

  it('says that the list is older than what was stored long before it, and what helps, which then does', async () => {
    let sequence = 20
    const { sync, deliver, update } = syncing(async () => ({ sequence, items: [] }))
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
    expect(await given()).toEqual(['team: Viewer to ann'])
    const metadata = { annotations: { 'kairship.io/delivered-sequence': null } }
    await host.local.request({
      ...{ method: 'PATCH', path: `${path}/team`, contentType: 'application/merge-patch+json' },
      body: { metadata },
    })
    await sync.compare(signal).catch(() => undefined)
    await sync.compare(signal)
    expect(await given()).toEqual([])
  })

  it('changes nothing by a list that could not be read', async () => {
    const { sync, deliver, update } = syncing(() => Promise.reject(new Error('incomplete')))
    await deliver(update(1, binding('team')))
    await expect(sync.compare(signal)).rejects.toThrow('incomplete')
    expect(await given()).toEqual(['team: Viewer to ann'])
  })
})

describe('the replica that leads', () => {
  /** A full sync by itself, whose list is asked as a test says; nothing is delivered. */
  function running({
    leading = true,
    whole = async (): Promise<WholeList> => ({ sequence: 9, items: [] }),
  } = {}) {
    vi.useFakeTimers()
    const asked: AbortSignal[] = []
    const log = fakeLog()
    const counted: unknown[] = []
    const term = { leading, signal: new AbortController().signal }
    const sync = new FullSync({
      ...{ everyMs: 1_000, log, leadership: () => term },
      meter: { ...unmetered, count: (_, labels) => void counted.push(labels?.outcome) },
      bindings: { delivered: async () => [] } as unknown as DeliveredBindings,
      list: {
        whole: signal => {
          asked.push(signal)
          return whole()
        },
      },
    })
    onTestFinished(() => {
      // A test that fails may have left a comparison that never ends.
      void sync.stop()
      vi.useRealTimers()
    })
    return { sync, asked, log, counted, term }
  }

  it('compares at once and then again and again, and no other replica does', async () => {
    const { sync, asked, counted, term } = running({ leading: false })
    sync.start()
    await vi.advanceTimersByTimeAsync(5_000)
    expect([asked.length, counted]).toEqual([0, []])
    term.leading = true
    sync.start()
    await vi.advanceTimersByTimeAsync(2_500)
    expect([asked.length, counted]).toEqual([3, ['success', 'success', 'success']])
  })

  it('makes one comparison at a time, also when it begins to lead meanwhile', async () => {
    const { promise, resolve } = pending<WholeList>()
    const { sync, asked } = running({ whole: () => promise })
    sync.start()
    await vi.advanceTimersByTimeAsync(10)
    sync.start()
    await vi.advanceTimersByTimeAsync(5_000)
    expect(asked).toHaveLength(1)
    resolve({ sequence: 9, items: [] })
    await vi.advanceTimersByTimeAsync(1_010)
    expect(asked).toHaveLength(2)
  })

  it('says and counts what could not be compared, and compares again', async () => {
    const { sync, asked, log, counted } = running({ whole: () => Promise.reject(new Error('status 503')) })
    sync.start()
    await vi.advanceTimersByTimeAsync(1_500)
    expect([asked.length, counted]).toEqual([2, ['failure', 'failure']])
    expect(log.lines[0]).toMatchObject({ level: 'warn', fields: { problem: 'status 503' } })
  })

  it('ends what is under way when it stops, waits for that, and says nothing of it', async () => {
    const { promise, reject } = pending<WholeList>()
    const { sync, asked, log, counted } = running({ whole: () => promise })
    sync.start()
    await vi.advanceTimersByTimeAsync(10)
    let isStopped = false
    const stopped = sync.stop().then(() => {
      isStopped = true
    })
    expect(asked[0]?.aborted).toBe(true)
    await vi.advanceTimersByTimeAsync(10)
    expect(isStopped).toBe(false)
    reject(new Error('aborted'))
    await stopped
    await vi.advanceTimersByTimeAsync(5_000)
    expect([asked.length, log.lines, counted]).toEqual([1, [], []])
  })
})

/** A promise that a test settles. */
function pending<T>() {
  let resolve: (value: T) => void = () => undefined
  let reject: (error: Error) => void = () => undefined
  const promise = new Promise<T>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}

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
      await clear()
      const { events, sequence, items } = globalManagement(steps)
      const { sync } = syncing(async () => ({ sequence, items }))
      const sequences = new Map<string, number>()
      for (const { of, as } of deliveries) {
        const event = events[of % Math.max(1, events.length)]
        if (!event) continue
        // Each through a replica of its own: nothing is remembered but what the host has.
        const replica = () => new DeliveredBindings(host.local, () => NOW)
        await replica().take(event, signal)
        if (as === 'twice') await replica().take(event, signal)
        for (const binding of await stored()) {
          const { name } = binding.metadata
          expect(sequenceOf(binding)).toBeGreaterThanOrEqual(sequences.get(name) ?? 0)
          sequences.set(name, sequenceOf(binding))
        }
      }
      await sync.compare(signal)
      await sync.compare(signal)
      expect(await given()).toEqual(
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
