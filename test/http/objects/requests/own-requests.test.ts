import { beforeEach, describe, expect, it } from 'vitest'
import { ownRequestsOf } from '../../../../http/objects/requests/own-requests.js'
import type { ProxyLimits } from '../../../../http/proxy/limits.js'
import { requestParts } from '../../../../http/proxy/request-parts.js'
import { WriteLedger } from '../../../../http/read-your-writes/ledger.js'
import { type KubeApi, type KubeRequest, UnreachableError } from '../../../../ports/kube-api.js'
import { unmetered } from '../../../silent.js'
import { aloneAnswers } from '../../fakes/answers.js'
import { type FakeFleet, fakeFleet, viewOf } from '../../fakes/fleet.js'
import { fakeLog } from '../../fakes/log.js'

const path = '/apis/rbac.authorization.k8s.io/v1/rolebindings'
const now = () => performance.now()

let fleet: FakeFleet
let requests: KubeRequest[]
/** What the instance does with a request. */
let answer: (request: KubeRequest) => Promise<unknown>

beforeEach(() => {
  requests = []
  answer = async () => ({ items: [] })
  fleet = fakeFleet(viewOf('north'), viewOf('south', 'degraded'))
  fleet.connections.set('north', {
    server: 'https://north.test',
    request: (request: KubeRequest) => {
      requests.push(request)
      return answer(request)
    },
    upstream: { send: () => ({ resume: () => undefined, abort: () => undefined }) },
  } as unknown as KubeApi)
})

function reading(limits: Partial<ProxyLimits> = {}) {
  const options = { fleet, log: fakeLog(), meter: unmetered, now, ledger: new WriteLedger(now), limits }
  const waited: string[] = []
  const sameAsWritten = async (name: string) => void waited.push(name)
  const own = ownRequestsOf({ parts: requestParts(options), instances: { sameAsWritten } })
  const callOf = (user = 'ann', signal = new AbortController().signal) => ({
    caller: { user, groups: [], extra: {} },
    signal,
    answers: aloneAnswers(),
    answered: () => undefined,
  })
  const get = (instance = 'north', user?: string, signal?: AbortSignal) =>
    own.get(callOf(user, signal), instance, { path, query: { limit: 500 } })
  const connect = (signal?: AbortSignal) => own.connect(callOf('ann', signal), 'north')
  return { get, connect, waited }
}

describe('a read under Kairship’s own credential', () => {
  it('impersonates no user, and ends with its call', async () => {
    const { signal } = new AbortController()
    expect(await reading().get('north', 'ann', signal)).toEqual({ items: [] })
    expect(requests).toEqual([{ method: 'GET', path, query: { limit: 500 }, signal }])
  })

  it('waits until the instance is the one that its caller created', async () => {
    const { get, waited } = reading()
    await get()
    expect(waited).toEqual(['north'])
  })

  it.each([
    ['that is not there', 'nowhere', 'there is no instance called "nowhere"'],
    ['without a connection', 'south', 'instance south is degraded and cannot be reached now'],
  ])('of an instance %s is refused', async (_, instance, message) => {
    await expect(reading().get(instance)).rejects.toThrow(message)
  })

  it.each([
    ['its caller', { requestsPerCaller: 1, requestsPerInstance: 5 }, 'ann'],
    ['its instance', { requestsPerInstance: 1 }, 'bob'],
  ])(
    'is refused while %s has its maximum of requests in flight, and allowed after that',
    async (_, limits, second) => {
      const { get } = reading(limits)
      let end: () => void = () => undefined
      answer = () =>
        new Promise(resolve => {
          end = () => resolve({ items: [] })
        })
      const first = get()
      await expect.poll(() => requests).toHaveLength(1)
      await expect(get('north', second)).rejects.toThrow('the most allowed')
      end()
      await first
      answer = async () => ({ items: [] })
      await get('north', second)
    },
  )

  it('releases its slots when it fails', async () => {
    const { get } = reading({ requestsPerInstance: 1 })
    answer = async () => {
      throw new Error('broken')
    }
    await expect(get()).rejects.toThrow('broken')
    await expect(get()).rejects.toThrow('broken')
  })

  it('is not sent to an instance whose circuit is open', async () => {
    const { get } = reading()
    answer = async () => {
      throw new UnreachableError('connect ECONNREFUSED', 'ECONNREFUSED')
    }
    for (let broken = 0; broken < 5; broken += 1) await expect(get()).rejects.toThrow('ECONNREFUSED')
    await expect(get()).rejects.toMatchObject({ code: 14 })
    expect(requests).toHaveLength(5)
  })
})

describe('a connection under Kairship’s own credential', () => {
  const body = { kind: 'Namespace' }

  it('sends a write unchanged, impersonates no user, and ends it with its call', async () => {
    const { signal } = new AbortController()
    const connection = await reading().connect(signal)
    await connection.request({ method: 'POST', path, body })
    expect(requests).toEqual([{ method: 'POST', path, body, signal }])
  })

  it('is made to the instance that its caller created', async () => {
    const { connect, waited } = reading()
    await connect()
    expect(waited).toEqual(['north'])
  })

  it('stays with one control plane when the instance gets another', async () => {
    const connection = await reading().connect()
    const elsewhere: KubeRequest[] = []
    fleet.connections.set('north', {
      ...fleet.connections.get('north'),
      server: 'https://other.test',
      request: async (request: KubeRequest) => elsewhere.push(request),
    } as unknown as KubeApi)
    await connection.request({ method: 'POST', path, body })
    expect([connection.endpoint.server, requests.length, elsewhere]).toEqual(['https://north.test', 1, []])
  })

  it('never sends a write again whose answer was lost', async () => {
    const connection = await reading().connect()
    answer = async () => {
      throw new UnreachableError('read ECONNRESET', 'ECONNRESET')
    }
    await expect(connection.request({ method: 'POST', path, body })).rejects.toThrow('ECONNRESET')
    expect(requests).toHaveLength(1)
  })

  it('takes a slot of the limits for each request and not for itself', async () => {
    const { connect } = reading({ requestsPerInstance: 1 })
    const connections = await Promise.all([connect(), connect()])
    for (const connection of connections) await connection.request({ method: 'POST', path, body })
    expect(requests).toHaveLength(2)
  })
})
