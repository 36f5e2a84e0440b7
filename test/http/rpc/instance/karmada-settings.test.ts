import { describe, expect, it } from 'vitest'
import type { KubeRequest } from '../../../../ports/kube-api.js'
import { testApi } from '../../fakes/api.js'
import { fakeFleet, viewOf } from '../../fakes/fleet.js'
import { refusal } from '../../fakes/host.js'

const path = '/apis/operator.karmada.io/v1alpha1/namespaces/karmada-east/karmadas/east'

/** The API with one installed instance and its Karmada object. */
function installed(spec: object | undefined = {}, karmadaVersion = 'v1.18.2') {
  const east = viewOf('east', 'ready', { install: {} })
  const instance = { ...east.instance, status: { karmadaVersion } }
  const api = testApi(fakeFleet({ ...east, instance }, viewOf('north')))
  const karmada: { object: object | undefined } = { object: spec && ({ spec } as object) }
  api.host.script = ({ path: asked }: KubeRequest) => {
    if (asked !== path) return undefined
    if (!karmada.object) throw refusal(404, 'NotFound', 'karmadas "east" not found')
    return karmada.object
  }
  return { ...api, karmada }
}

const failover = {
  failoverEvictionTimeout: '0',
  clusterMonitorPeriod: '60',
  clusterStartupGracePeriod: '600',
  clusterMonitorGracePeriod: '40',
  gracefulEvictionTimeout: '0',
  clusterSuccessThreshold: '0',
  clusterFailureThreshold: '0',
}

describe('failover', () => {
  it('is read from the flags and feature gate of karmada-controller-manager', async () => {
    const { call } = installed({
      components: {
        karmadaControllerManager: {
          featureGates: { Failover: true },
          extraArgs: {
            'cluster-monitor-period': '1m0s',
            'cluster-startup-grace-period': '10m',
            'cluster-monitor-grace-period': '40s',
          },
        },
      },
    })
    expect((await call('admin', 'GET', '/instances/east/failover')).json).toEqual({
      enabled: true,
      timeout: failover,
    })
  })

  it('is only tried by the host in a dry run, which refuses what a write would be refused for', async () => {
    const { call, host } = installed()
    const request = { enabled: true, timeout: failover, dryRun: true }
    expect((await call('admin', 'PUT', '/instances/east/failover', request)).json).toEqual({})
    expect(host.requests.filter(({ method }) => method === 'PATCH').map(({ query }) => query)).toEqual([
      expect.objectContaining({ dryRun: 'All' }),
    ])
    expect((await call('admin', 'GET', '/instances/east/failover')).json.enabled).toBe(false)
    for (const setting of ['descheduler', 'metricsadapter'])
      expect(
        (await call('admin', 'PUT', `/instances/east/${setting}`, { enabled: true, dryRun: true })).json,
      ).toEqual({})
    expect(host.instances.get('east')?.spec.install?.karmadaSpec).toBeUndefined()
    const adopted = await call('admin', 'PUT', '/instances/north/descheduler', {
      enabled: true,
      dryRun: true,
    })
    expect(adopted.json.message).toContain('adopted')
  })

  it('is not refused in a dry run because a webhook of the host cannot be tried', async () => {
    const { call, host } = installed()
    host.script = ({ method }: KubeRequest) => {
      if (method === 'PATCH')
        throw refusal(400, 'BadRequest', 'admission webhook "w" does not support dry run')
      return undefined
    }
    const put = (dryRun: boolean) =>
      call('admin', 'PUT', '/instances/east/failover', { enabled: true, timeout: failover, dryRun })
    expect([(await put(true)).status, (await put(false)).status]).toEqual([200, 400])
  })

  it('is written to the Instance, and read as the requested spec over the installed one', async () => {
    const { call, host } = installed({
      components: {
        karmadaControllerManager: {
          extraArgs: { 'cluster-failure-threshold': '9s', 'cluster-monitor-period': '5s' },
        },
      },
    })
    const timeout = { ...failover, clusterFailureThreshold: '0' }
    expect((await call('admin', 'PUT', '/instances/east/failover', { enabled: true, timeout })).json).toEqual(
      {},
    )
    expect(host.instances.get('east')?.spec.install?.karmadaSpec).toEqual({
      components: {
        karmadaControllerManager: {
          featureGates: { Failover: true },
          extraArgs: {
            'cluster-monitor-period': '60s',
            'cluster-startup-grace-period': '600s',
            'cluster-monitor-grace-period': '40s',
            'enable-no-execute-taint-eviction': 'true',
          },
        },
      },
    })
    expect((await call('admin', 'GET', '/instances/east/failover')).json).toEqual({
      enabled: true,
      timeout: { ...failover, clusterFailureThreshold: '9' },
    })
  })

  it.each([
    ['v1.14.3', false],
    ['v1.15.0', true],
    ['1.15.0', true],
    ['v2.0.0', true],
    ['v0.15.0', false],
    ['', false],
  ])('adds a flag to the versions that know it: %s %s', async (version, isKnown) => {
    const { call, host } = installed({}, version)
    await call('admin', 'PUT', '/instances/east/failover', { enabled: true })
    expect(JSON.stringify(host.instances.get('east')).includes('no-execute')).toBe(isKnown)
  })

  it('may be set while the instance is being installed', async () => {
    const { call, host, karmada } = installed()
    karmada.object = undefined
    expect((await call('admin', 'PUT', '/instances/east/failover', { enabled: true })).status).toBe(200)
    expect(host.instances.get('east')?.spec.install?.karmadaSpec).toBeDefined()
    expect((await call('admin', 'GET', '/instances/east/failover')).json.enabled).toBe(true)
  })

  it.each([
    [{ timeout: { clusterMonitorPeriod: '-1' } }, 'timeout.clusterMonitorPeriod'],
    [{ timeout: { failoverEvictionTimeout: '30' } }, 'timeout.failoverEvictionTimeout'],
    [{ timeout: { clusterMonitorPeriod: 'soon' } }, 'timeout.clusterMonitorPeriod'],
    [{ enabled: 'yes' }, 'enabled'],
  ])('refuses %j and writes nothing', async (body, field) => {
    const { call, host } = installed()
    const { status, json } = await call('admin', 'PUT', '/instances/east/failover', body)
    expect([status, json.details[0].fieldViolations[0].field]).toEqual([400, field])
    expect(host.requests.filter(({ method }) => method === 'PATCH')).toEqual([])
  })
})

describe('settings of components', () => {
  it.each(['failover', 'descheduler', 'metricsadapter'])(
    '%s of an adopted instance cannot be set',
    async what => {
      const { call } = installed()
      for (const [method, body] of [
        ['GET', undefined],
        ['PUT', { enabled: true }],
      ] as const) {
        const { status, json } = await call('admin', method, `/instances/north/${what}`, body)
        expect([status, json.code]).toEqual([400, 9])
        expect(json.message).toBe(
          'instance north was adopted, not installed by Kairship: set the flags of its components where it was installed',
        )
      }
    },
  )

  it('enable the descheduler, tune it, and disable it by removing its replicas', async () => {
    const { call, host } = installed()
    const read = async () => (await call('admin', 'GET', '/instances/east/descheduler')).json
    expect((await read()).enabled).toBe(false)
    const timeout = { deschedulingInterval: '120', unschedulableThreshold: '300' }
    await call('admin', 'PUT', '/instances/east/descheduler', { enabled: true, timeout })
    expect(await read()).toEqual({ enabled: true, timeout })
    await call('admin', 'PUT', '/instances/east/descheduler', { enabled: false })
    expect(await read()).toEqual({ enabled: false, timeout })
    expect(host.instances.get('east')?.spec.install?.karmadaSpec).toMatchObject({
      components: { karmadaDescheduler: { replicas: 0 } },
    })
  })

  it('take a component that is null for one that does not run', async () => {
    const { call } = installed({ components: { karmadaDescheduler: null } })
    expect((await call('admin', 'GET', '/instances/east/descheduler')).json.enabled).toBe(false)
  })

  it('treat the metrics adapter as enabled by default', async () => {
    const { call } = installed()
    const read = async () => (await call('admin', 'GET', '/instances/east/metricsadapter')).json
    expect(await read()).toEqual({ enabled: true })
    await call('admin', 'PUT', '/instances/east/metricsadapter', { enabled: false })
    expect(await read()).toEqual({ enabled: false })
    await call('admin', 'PUT', '/instances/east/metricsadapter', { enabled: true })
    expect(await read()).toEqual({ enabled: true })
  })
})
