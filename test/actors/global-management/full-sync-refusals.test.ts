import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { DeliveredBindings } from '../../../actors/global-management/delivered-bindings.js'
import { type Status, StatusError } from '../../../manifests/status-error.js'
import type { KubeRequest } from '../../../ports/kube-api.js'
import { binding, HostOfDeliveries, PATH, signal } from './host-of-deliveries.js'

const host = new HostOfDeliveries()

const denial = (code: number, message: string): Status => ({
  ...{ apiVersion: 'v1', kind: 'Status', metadata: {}, status: 'Failure', reason: '' },
  ...{ code, message },
})

/** The host, whose admission refuses writes of bindings of these names, and how many it has refused. */
function refusing(code: number, refuses: (name: string) => boolean, why = '') {
  const refused = { count: 0 }
  const request = async <T>(sent: KubeRequest): Promise<T> => {
    const { metadata } = (sent.body ?? {}) as { metadata?: { name?: string } }
    if (!metadata?.name || !refuses(metadata.name)) return host.api.request<T>(sent)
    refused.count += 1
    throw new StatusError(denial(code, why || `${metadata.name} is denied`))
  }
  return { refused, api: { ...host.api, request } }
}

describe('a full sync whose changes the host does not take', () => {
  it('stores all others where single bindings cannot be, and says of those how many and why', async () => {
    const body = {
      ...{ apiVersion: 'kairship.io/v1alpha1', kind: 'InstanceRoleBinding', metadata: { name: 'by-hand' } },
      spec: { instance: 'eu', role: 'Viewer', subjects: [{ kind: 'User', name: 'bob' }] },
    }
    await host.api.request({ method: 'POST', path: PATH, body })
    // A time that has more digits than the host takes.
    const long = { ...binding('long'), expiresAt: `2027-01-01T00:00:00.${'0'.repeat(100)}Z` }
    const items = [binding('by-hand'), long, binding('last')].map(binding => ({ sequence: 2, binding }))
    const { sync } = host.syncing(async () => ({ sequence: 9, items }))
    await expect(sync.compare(signal)).rejects.toThrow(
      /2 of its bindings could not be stored, InstanceRoleBinding\/by-hand: .*somebody else's/,
    )
    expect(await host.given()).toEqual(['by-hand: Viewer to bob', 'last: Viewer to ann'])
  })

  it.each([400, 403, 409, 413, 422, 500])(
    'ends and stores all others where the host refuses single bindings with %i, and says of both how many and why',
    async code => {
      const { api } = refusing(code, name => name.startsWith('kept'))
      const items = [binding('kept-out'), binding('last')].map(binding => ({ sequence: 9, binding }))
      const { sync } = host.syncing(async () => ({ sequence: 9, items }), api)
      const { deliver, update } = host.syncing(async () => ({ sequence: 9, items }))
      await deliver(update(1, binding('kept')))
      await deliver(update(2, binding('zone')))
      await expect(sync.compare(signal)).rejects.toThrow(
        '1 bindings that it does not have could not be ended, InstanceRoleBinding/kept: kept is denied; ' +
          '1 of its bindings could not be stored, InstanceRoleBinding/kept-out: kept-out is denied',
      )
      expect(await host.given()).toEqual(['kept: Viewer to ann', 'last: Viewer to ann'])
    },
  )

  it.each([401, 404, 429, 503])('goes no further where the host answers with %i', async code => {
    const { api, refused } = refusing(code, () => true)
    const items = ['a', 'b'].map(name => ({ sequence: 2, binding: binding(name) }))
    const { sync } = host.syncing(async () => ({ sequence: 9, items }), api)
    await expect(sync.compare(signal)).rejects.toThrow(/^[ab] is denied$/)
    expect(refused.count).toBe(1)
  })

  it('gives up, and says so, where the host refuses more than 100 bindings in a row', async () => {
    const { api, refused } = refusing(403, () => true)
    const items = Array.from({ length: 150 }, (_, at) => ({ sequence: 2, binding: binding(`b${at}`) }))
    const { sync } = host.syncing(async () => ({ sequence: 9, items }), api)
    await expect(sync.compare(signal)).rejects.toThrow(/101 of its bindings .*the others were not tried/)
    expect(refused.count).toBe(101)
  })

  it('stores nothing where the host refuses one end after the other', async () => {
    const names = Array.from({ length: 102 }, (_, at) => `b${at}`)
    const { api } = refusing(403, name => name.startsWith('b'))
    const items = [{ sequence: 200, binding: binding('new') }]
    const { sync } = host.syncing(async () => ({ sequence: 200, items }), api)
    const { deliver, update } = host.syncing(async () => ({ sequence: 200, items }))
    for (const [at, name] of names.entries()) await deliver(update(at + 1, binding(name)))
    await expect(sync.compare(signal)).rejects.toThrow(/^101 bindings that it does not have .*not tried$/)
    expect(await host.given()).toHaveLength(102)
  })

  it('names three of the refused bindings at most, each with the beginning of its reason', async () => {
    const { api } = refusing(403, () => true, 'because '.repeat(1_000))
    const items = ['a', 'b', 'c', 'd', 'e'].map(name => ({ sequence: 2, binding: binding(name) }))
    const { sync } = host.syncing(async () => ({ sequence: 9, items }), api)
    const message = await sync.compare(signal).then(
      () => 'nothing was refused',
      (error: Error) => error.message,
    )
    expect(message.match(/InstanceRoleBinding\/[a-e]: because/g)).toHaveLength(3)
    expect(message.length).toBeLessThan(1_100)
  })

  it('ends what somebody else changes meanwhile', async () => {
    const { deliver, update } = host.syncing(async () => ({ sequence: 9, items: [] }))
    await deliver(update(1, binding('gone')))
    await deliver(update(2, binding('stays')))
    let changes = 1
    const request = async <T>(sent: KubeRequest): Promise<T> => {
      if (sent.method === 'PUT' && changes-- > 0)
        await host.api.request({
          ...{ method: 'PATCH', path: `${PATH}/gone`, contentType: 'application/merge-patch+json' },
          body: { metadata: { labels: { changed: 'meanwhile' } } },
        })
      return host.api.request<T>(sent)
    }
    const items = [{ sequence: 2, binding: binding('stays') }]
    const { sync } = host.syncing(async () => ({ sequence: 9, items }), { ...host.api, request })
    expect(await sync.compare(signal)).toEqual({ stored: 0, ended: 1, heldBack: false })
    expect(await host.given()).toEqual(['stays: Viewer to ann'])
  })

  it('names what it could not end because others change it again and again', async () => {
    const { deliver, update } = host.syncing(async () => ({ sequence: 9, items: [] }))
    await deliver(update(1, binding('gone')))
    const request = async <T>(sent: KubeRequest): Promise<T> => {
      if (sent.method !== 'PUT') return host.api.request<T>(sent)
      throw new StatusError({ ...denial(409, 'changed'), reason: 'Conflict' })
    }
    const items = [{ sequence: 2, binding: binding('stays') }]
    const { sync } = host.syncing(async () => ({ sequence: 9, items }), { ...host.api, request })
    await expect(sync.compare(signal)).rejects.toThrow(
      /1 bindings .* could not be ended, .*still gives its role/,
    )
  })

  it('goes no further where the host does not answer', async () => {
    const store = vi.spyOn(DeliveredBindings.prototype, 'store')
    onTestFinished(() => store.mockRestore())
    store.mockRejectedValue(new Error('connect ECONNREFUSED'))
    const items = ['a', 'b'].map(name => ({ sequence: 2, binding: binding(name) }))
    const { sync } = host.syncing(async () => ({ sequence: 9, items }))
    await expect(sync.compare(signal)).rejects.toThrow('ECONNREFUSED')
    expect(store).toHaveBeenCalledTimes(1)
  })
})
