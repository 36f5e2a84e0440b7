import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Api } from '../../http/api-options.js'
import { createMetrics, type Metrics } from '../../http/health/metrics.js'
import { ACCESS_LOCKS } from '../../manifests/access-lock.js'
import { resourcePath } from '../../manifests/kube.js'
import type { KubeApi } from '../../ports/kube-api.js'
import { type PlaygroundProxy, startPlaygroundProxy } from '../http/proxy/playground-proxy.js'
import { repositoryFolder } from '../real/repository.js'
import { eventually } from './support/eventually.js'
import { KairshipProcess } from './support/kairship-process.js'
import { ProxyClient } from './support/proxy-client.js'

const program = join(repositoryFolder, 'dist/kairship-worker.js')
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'
/** An index selects by no field, so a control plane answers, through a worker. */
const BY_FIELD = 'fieldSelector=metadata.namespace%3Ddefault'
/** Reads of secrets leave a record. */
const SECRET = '/api/v1/namespaces/default/secrets/none'

const WATCHES = 12

/** Fails with ESRCH when there is no such process. */
const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('an API with two workers on one port', () => {
  let world: PlaygroundProxy
  let host: KubeApi
  let api: Api
  let meter: Metrics
  const clients: ProxyClient[] = []

  beforeAll(async () => {
    world = await startPlaygroundProxy()
    host = world.playground.host.local
    meter = createMetrics({ ofProcess: false })
    api = await world.another('127.0.0.1:0', { meter, workers: { count: 2, program } })
  })
  afterEach(() => {
    for (const client of clients.splice(0)) client.close()
  })
  afterAll(() => world?.close())

  /** A caller with a connection of its own. */
  const caller = (token: string): ProxyClient => {
    const client = new ProxyClient({
      server: `${api.url}/apis/kairship.io/v1alpha1/instances/${world.instance}/proxy`,
      ca: api.certificateAuthority ?? '',
      token,
    })
    clients.push(client)
    return client
  }
  const admin = () => caller(world.playground.tokens.admin)
  /**
   * Callers with an open watch each, which the control plane answers. Some are at each worker: each connection goes to the one with the fewest, and what
   * is left of earlier tests is less.
   */
  const watchers = async (token: string) => {
    const { text } = await admin().ask('GET', `${CONFIG_MAPS}?${BY_FIELD}`)
    const version = JSON.parse(text).metadata.resourceVersion
    const opened = Array.from({ length: WATCHES }, () => caller(token))
    return Promise.all(opened.map(client => client.watch(CONFIG_MAPS, `${version}&${BY_FIELD}`)))
  }
  const workerPids = (): number[] => {
    const lines = world.log.lines.filter(({ message }) => message === 'a worker is ready')
    return lines.map(({ fields }) => (fields as { pid: number }).pid)
  }
  const counted = async (name: string): Promise<number> => {
    const { text } = await meter.expose()
    const values = text.split('\n').filter(line => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    return values.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
  }

  it('passes reads on with the caller’s rights, and refuses who may not', async () => {
    const answers = await Promise.all(
      [admin(), admin()].map(client => client.ask('GET', `${CONFIG_MAPS}?${BY_FIELD}`)),
    )
    expect(answers.map(({ status, headers }) => [status, headers['kairship-source-reason']])).toEqual([
      [200, 'FieldSelector'],
      [200, 'FieldSelector'],
    ])
    const nobody = caller('nobody')
    expect((await nobody.ask('GET', `${CONFIG_MAPS}?${BY_FIELD}`)).status).toBe(401)
  })

  it('shows a caller its own write, whichever worker carried it', async () => {
    for (let round = 0; round < 10; round++) {
      const name = `written-${round}-${Date.now()}`
      const made = await admin().ask('POST', CONFIG_MAPS, { metadata: { name } })
      expect(made.status).toBe(201)
      const { text } = await admin().ask('GET', CONFIG_MAPS)
      expect(text).toContain(`"${name}"`)
      expect((await admin().ask('DELETE', `${CONFIG_MAPS}/${name}`)).status).toBe(200)
      const after = await admin().ask('GET', CONFIG_MAPS)
      expect(after.text).not.toContain(`"${name}"`)
    }
  })

  it('records and counts the requests of all workers in one place', async () => {
    const records = () =>
      world.log
        .audits()
        .filter(({ target }) => (target as { resource?: string } | undefined)?.resource === 'secrets')
    const [recorded, requests] = [records().length, await counted('kairship_proxy_requests_total')]
    const pair = [admin(), admin()]
    const answers = await Promise.all(pair.map(client => client.ask('GET', SECRET)))
    expect(answers.map(({ status }) => status)).toEqual([404, 404])
    await eventually('both are recorded', () => records().length === recorded + 2)
    expect(records().at(-1)).toMatchObject({ user: 'admin@playground', status: 404, wire: 'proxy' })
    expect(await counted('kairship_proxy_requests_total')).toBe(requests + 2)
    expect(await counted('kairship_workers')).toBe(2)
  })

  it('ends a watch at each worker when its caller is locked out', async () => {
    const watches = await watchers(world.playground.tokens.viewer)
    const lock = {
      apiVersion: 'kairship.io/v1alpha1',
      kind: 'AccessLock',
      metadata: { name: 'workers' },
      spec: { user: 'viewer@playground', message: 'call security' },
    }
    await host.request({ method: 'POST', path: resourcePath(ACCESS_LOCKS), body: lock })
    for (const watch of watches) {
      expect(await watch.ended).toBe('whole')
      expect(watch.events.at(-1)).toMatchObject({ type: 'ERROR', object: { code: 403 } })
    }
    expect((await caller(world.playground.tokens.viewer).ask('GET', CONFIG_MAPS)).status).toBe(403)
    await host.request({ method: 'DELETE', path: `${resourcePath(ACCESS_LOCKS)}/workers` })
    await eventually('the lock is lifted', async () => {
      const { status } = await caller(world.playground.tokens.viewer).ask('GET', CONFIG_MAPS)
      return status === 200
    })
  })

  it('loses one worker by SIGKILL, and the calls of the other go on', async () => {
    const watches = await watchers(world.playground.tokens.admin)
    const [killed = 0] = workerPids().slice(-2)
    const restarts = workerPids().length
    process.kill(killed, 'SIGKILL')
    await Promise.race(watches.map(({ ended }) => ended))
    await eventually('it is started again', () => workerPids().length === restarts + 1)
    const [name, client] = [`after-${killed}`, admin()]
    expect((await client.ask('POST', CONFIG_MAPS, { metadata: { name } })).status).toBe(201)
    await eventually('the watches of the other go on', () => {
      const [gone, staying] = [watches.filter(watch => watch.isOver), watches.filter(watch => !watch.isOver)]
      return gone.length > 0 && staying.length > 0 && staying.every(watch => watch.names().includes(name))
    })
    expect((await client.ask('GET', `${CONFIG_MAPS}?${BY_FIELD}`)).status).toBe(200)
    expect(await counted('kairship_worker_restarts_total')).toBeGreaterThan(0)
  })

  it('ends watches after a whole event when it closes, and its workers with it', async () => {
    const watches = await watchers(world.playground.tokens.admin)
    const pids = workerPids().slice(-2)
    const under = world.log.lines.length
    await api.close()
    expect(new Set(await Promise.all(watches.map(({ ended }) => ended)))).toEqual(new Set(['whole']))
    expect(new Set(watches.map(({ rest }) => rest))).toEqual(new Set(['']))
    expect(pids.map(isRunning)).toEqual([false, false])
    expect(world.log.lines.slice(under).filter(({ level }) => level === 'error')).toEqual([])
  })
})

describe('a process with workers', () => {
  it.each(['SIGTERM', 'SIGKILL'] as const)('leaves none behind after %s', async signal => {
    const kairship = KairshipProcess.start([
      ...[
        'playground',
        '--workers',
        '2',
        '--instances',
        '1',
        '--members',
        '1',
        '--log-format',
        'json',
        '--log-level',
        'info',
      ],
    ])
    await kairship.said('the API is listening')
    const pids = kairship.log.filter(({ msg }) => msg === 'a worker is ready').map(({ pid }) => Number(pid))
    expect(pids.map(isRunning)).toEqual([true, true])
    kairship.kill(signal)
    const { code } = await kairship.ended
    expect(code).toBe(signal === 'SIGTERM' ? 0 : null)
    await eventually('its workers have ended', () => !pids.some(isRunning))
  })
})
