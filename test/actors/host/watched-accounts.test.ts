import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WatchedAccounts } from '../../../actors/host/watched-accounts.js'
import { SERVICE_ACCOUNTS } from '../../../manifests/impersonator.js'
import { type KubeObject, resourcePath } from '../../../manifests/kube.js'
import { StatusError } from '../../../manifests/status-error.js'
import { type ApiServer, startApiServer } from '../../../playground/apiserver/server.js'
import type { KubeApi, KubeRequest, WatchRequest } from '../../../ports/kube-api.js'
import { fakeMeter } from '../../http/fakes/api.js'
import { deferred } from '../../http/fakes/deferred.js'
import { fakeLog } from '../../http/fakes/log.js'
import { waitFor } from '../../patience.js'

const namespace = 'default'
let server: ApiServer
let accounts: WatchedAccounts
let isAllowed: boolean
let gauges: number[]
let asked: (KubeRequest | WatchRequest)[]
const log = fakeLog()

const forbidden = () =>
  new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    code: 403,
    reason: 'Forbidden',
    message: 'serviceaccounts is forbidden',
  } as never)

/** The embedded server, as it answers an account with the right to watch accounts or without it. */
const guarded = (): KubeApi => ({
  server: server.url,
  async request<T>(request: KubeRequest) {
    asked.push(request)
    if (!isAllowed) throw forbidden()
    return server.local.request<T>(request)
  },
  watch: request => {
    asked.push(request)
    return server.local.watch(request)
  },
  close: () => Promise.resolve(),
})

beforeEach(async () => {
  server = await startApiServer({ name: 'host' })
  ;[isAllowed, gauges, asked, log.lines.length] = [true, [], [], 0]
  accounts = new WatchedAccounts(guarded(), log, {
    count: () => undefined,
    observe: () => undefined,
    gauge: (name, value) => {
      if (name === 'kairship_service_accounts_watched') gauges.push(value)
    },
  })
})
afterEach(async () => {
  accounts.stop()
  await server.close()
})

const create = async (name: string, finalizers: readonly string[] = []) => {
  const { metadata } = await server.local.request<KubeObject>({
    method: 'POST',
    path: resourcePath(SERVICE_ACCOUNTS, { namespace }),
    body: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, finalizers } },
  })
  return { namespace, name, uid: metadata.uid ?? '' }
}
const remove = (name: string) =>
  server.local.request({ method: 'DELETE', path: resourcePath(SERVICE_ACCOUNTS, { namespace, name }) })

describe('the ServiceAccounts of the host', () => {
  it('are known to be deleted when they are, and not before', async () => {
    const [one, other] = [await create('one'), await create('other')]
    expect(accounts.isThere(one)).toBeUndefined()
    accounts.start()
    await waitFor(() => expect(accounts.isThere(one)).toBe(true))
    await remove('one')
    await waitFor(() => expect(accounts.wasDeleted(one.uid)).toBe(true))
    expect(accounts.isThere(one)).toBe(false)
    expect([accounts.wasDeleted(other.uid), accounts.isThere(other)]).toEqual([false, true])
  })

  it('are others when they are made again under the same name', async () => {
    const first = await create('one')
    accounts.start()
    await waitFor(() => expect(accounts.isThere(first)).toBe(true))
    await remove('one')
    const second = await create('one')
    await waitFor(() => expect(accounts.isThere(second)).toBe(true))
    expect([accounts.isThere(first), accounts.wasDeleted(first.uid)]).toEqual([false, true])
    expect(accounts.wasDeleted(second.uid)).toBe(false)
  })

  it('are deleted also while they wait for a finalizer', async () => {
    const waiting = await create('one', ['example.com/last-words'])
    accounts.start()
    await waitFor(() => expect(accounts.isThere(waiting)).toBe(true))
    await remove('one')
    await waitFor(() => expect(accounts.wasDeleted(waiting.uid)).toBe(true))
    expect(accounts.isThere(waiting)).toBe(false)
  })

  it('are there again when the host is restored from a backup', async () => {
    const account = (resourceVersion: string) => ({
      ...{ apiVersion: 'v1', kind: 'ServiceAccount' },
      metadata: { name: 'one', namespace, uid: 'u1', resourceVersion },
    })
    const restored = deferred<void>()
    const api: KubeApi = {
      server: 'https://host.test',
      request: async <T>() =>
        ({ kind: 'List', metadata: { resourceVersion: '1' }, items: [account('1')] }) as T,
      async *watch({ signal, opened }) {
        opened?.()
        yield { type: 'DELETED', object: account('2') }
        await restored.promise
        yield { type: 'ADDED', object: account('3') }
        await new Promise<void>(resolve => signal?.addEventListener('abort', () => resolve()))
      },
      close: () => Promise.resolve(),
    }
    const again = new WatchedAccounts(api, log, fakeMeter().meter).start()
    try {
      await waitFor(() => expect(again.wasDeleted('u1')).toBe(true))
      restored.resolve()
      await waitFor(() => expect(again.isThere({ namespace, name: 'one', uid: 'u1' })).toBe(true))
      expect(again.wasDeleted('u1')).toBe(false)
    } finally {
      again.stop()
    }
  })

  it('that were deleted are remembered up to a number, the newest', async () => {
    const few = new WatchedAccounts(guarded(), log, fakeMeter().meter, 2).start()
    try {
      const made = [await create('one'), await create('two'), await create('three')]
      await waitFor(() => expect(made.map(one => few.isThere(one))).toEqual([true, true, true]))
      for (const { name } of made) await remove(name)
      await waitFor(() => expect(made.map(({ uid }) => few.wasDeleted(uid))).toEqual([false, true, true]))
    } finally {
      few.stop()
    }
  })

  it('are asked for by their metadata alone', async () => {
    await create('one')
    accounts.start()
    await waitFor(() => expect(asked.length).toBeGreaterThan(1))
    for (const { accept } of asked) expect(accept).toContain('as=PartialObjectMetadata')
  })

  it('that may not be watched are said to be, once, and are watched as soon as they may', async () => {
    isAllowed = false
    const one = await create('one')
    accounts.start()
    await waitFor(() => expect(asked.length).toBeGreaterThan(2))
    expect(accounts.problem).toContain('serviceaccounts is forbidden')
    expect([accounts.isThere(one), accounts.wasDeleted(one.uid)]).toEqual([undefined, false])
    expect(log.lines.filter(({ level }) => level === 'warn')).toHaveLength(1)
    expect(new Set(gauges)).toEqual(new Set([0]))
    isAllowed = true
    await waitFor(() => expect(accounts.isThere(one)).toBe(true))
    expect([accounts.problem, gauges.at(-1)]).toEqual([undefined, 1])
  })
})
