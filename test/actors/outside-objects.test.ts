import { describe, expect, it } from 'vitest'
import { kept } from '../../actors/host/kept-object.js'
import { install, uninstall } from '../../actors/instance/effects/installation.js'
import { publishRegistration, withdrawRegistration } from '../../actors/instance/effects/instance-registry.js'
import {
  deleteVirtualCluster,
  ensureVirtualCluster,
} from '../../actors/instance/effects/virtual-cluster-sync.js'
import type { KubeObject } from '../../manifests/kube.js'
import { labelsOf } from '../../manifests/names.js'
import { instance } from '../machines/instance/facts.js'
import { EffectsUnderTest, failing } from './effects-under-test.js'

const PEDIA = '/apis/cluster.clusterpedia.io/v1alpha2/pediaclusters/k-alpha'
const REGISTRATION = '/apis/kairship.io/v1alpha1/instanceregistrations/alpha'
const KARMADA = '/apis/operator.karmada.io/v1alpha1/namespaces/karmada-alpha/karmadas/alpha'
const effects = new EffectsUnderTest()

/** An object as a server stores what was applied. */
const stored = ({ body }: { body?: unknown }) => ({
  ...(body as KubeObject),
  metadata: { ...(body as KubeObject).metadata, uid: 'u1' },
})
/** Puts what an effect applied where the watch would show it. */
const shown = (request: { body?: unknown } | undefined) =>
  kept(() => undefined)(stored(request ?? {}) as KubeObject)

describe.each([
  ['the virtual cluster', ensureVirtualCluster, 'virtualClusters', 'k-alpha', PEDIA],
  ['the registration', publishRegistration, 'registrations', 'alpha', REGISTRATION],
] as const)('%s', (_what, effect, collection, name, path) => {
  it('is applied once, and not again when the watch shows it', async () => {
    effects.host.script = stored
    const outcome = await effects.run(effect)
    expect(effects.host.lines).toEqual([`PATCH ${path}`])
    expect(effects.host.requests[0]).toMatchObject({
      contentType: 'application/apply-patch+yaml',
      query: { fieldManager: 'kairship', force: true },
    })
    effects.seen[collection].set(name, shown(effects.host.requests[0]))
    expect(await effects.run(effect)).toBe(outcome)
    expect(effects.host.requests).toHaveLength(1)
  })

  it('is restored after a change by another client', async () => {
    effects.host.script = stored
    await effects.run(effect)
    const changed = { ...(effects.host.requests[0]!.body as object), spec: { changed: true } }
    effects.seen[collection].set(name, shown({ body: changed }))
    await effects.run(effect)
    expect(effects.host.requests).toHaveLength(2)
  })

  it('that is being deleted is awaited', async () => {
    effects.host.script = stored
    await effects.run(effect)
    const made = shown(effects.host.requests[0])
    effects.seen[collection].set(name, { ...made, outside: { ...made.outside, deleting: true } })
    expect(await failing(effects.run(effect))).toMatch(/^StillThere: \w+ \S+ is being deleted$/)
  })
})

describe('the virtual cluster', () => {
  it('of another owner is not changed', async () => {
    effects.seen.virtualClusters.set('k-alpha', {
      metadata: { name: 'k-alpha' },
      outside: { revision: 'x', deleting: false },
    })
    expect(await failing(effects.run(ensureVirtualCluster))).toBe(
      'Conflict: PediaCluster k-alpha exists and was not made by Kairship',
    )
    expect(effects.host.requests).toEqual([])
  })

  it('needs a connection, and uses its kubeconfig', async () => {
    effects.connection.replace(undefined)
    expect(await failing(effects.run(ensureVirtualCluster))).toMatch(/^Unreachable: there is no connection/)
  })
})

describe.each([
  ['the virtual cluster', deleteVirtualCluster, PEDIA, 'PediaCluster k-alpha'],
  ['the registration', withdrawRegistration, REGISTRATION, 'InstanceRegistration alpha'],
] as const)('deleting %s', (_what, effect, path, called) => {
  const [kind = '', name = ''] = called.split(' ')
  const made = { apiVersion: 'v1', kind, metadata: { name, uid: 'u1', labels: labelsOf('alpha') } }

  it('deletes exactly the observed object, and is complete when it is gone', async () => {
    let there: object | undefined = made
    effects.host.script = ({ method }) => {
      if (method === 'GET') return there
      there = undefined
      return {}
    }
    expect(await effects.run(effect)).toBe('gone')
    expect(effects.host.lines).toEqual([`GET ${path}`, `DELETE ${path}`, `GET ${path}`])
    expect(effects.host.requests[1]?.body).toEqual({ preconditions: { uid: 'u1' } })
  })

  it('is complete when the object is missing or belongs to another owner', async () => {
    expect(await effects.run(effect)).toBe('gone')
    effects.host.script = () => ({ ...made, metadata: { name } })
    expect(await effects.run(effect)).toBe('gone')
    expect(effects.host.lines).not.toContain(`DELETE ${path}`)
  })

  it('names the finalizers that hold the object, and does not repeat a deletion in progress', async () => {
    effects.host.script = () => ({
      ...made,
      metadata: { ...made.metadata, deletionTimestamp: 'now', finalizers: ['others.io/a', 'others.io/b'] },
    })
    expect(await failing(effects.run(effect))).toBe(
      `StillThere: ${called} is being deleted; finalizers: others.io/a, others.io/b`,
    )
    expect(effects.host.lines).not.toContain(`DELETE ${path}`)
  })

  it('is complete when a successor of the same name exists afterwards', async () => {
    let gets = 0
    effects.host.script = ({ method }) =>
      method === 'GET' ? { ...made, metadata: { ...made.metadata, uid: `u${++gets}` } } : {}
    expect(await effects.run(effect)).toBe('gone')
  })
})

describe('the installation', () => {
  const installed = instance({ spec: { install: {} } })

  it('creates a missing namespace, and uses an existing one', async () => {
    effects.host.script = request => (request.method === 'PATCH' ? stored(request) : undefined)
    await effects.run(install, { of: installed })
    expect(effects.host.lines).toEqual([
      'GET /api/v1/namespaces/karmada-alpha',
      'PATCH /api/v1/namespaces/karmada-alpha',
      `PATCH ${KARMADA}`,
    ])
    effects.host.lines.length = 0
    effects.host.script = request =>
      request.method === 'PATCH' ? stored(request) : { metadata: { name: 'karmada-alpha' } }
    await effects.run(install, { of: installed })
    expect(effects.host.lines).toEqual(['GET /api/v1/namespaces/karmada-alpha', `PATCH ${KARMADA}`])
  })

  it('does not apply a Karmada that is on its way out', async () => {
    effects.seen.karmadas.set('karmada-alpha/alpha', {
      metadata: { name: 'alpha', labels: labelsOf('alpha') },
      outside: { revision: 'x', deleting: true },
    })
    expect(await failing(effects.run(install, { of: installed }))).toBe(
      'StillThere: Karmada karmada-alpha/alpha is being deleted',
    )
    expect(effects.host.lines).toEqual([])
  })

  it('does not change a Karmada of another owner', async () => {
    effects.seen.karmadas.set('karmada-alpha/alpha', {
      metadata: { name: 'alpha' },
      outside: { revision: 'x', deleting: false },
    })
    expect(await failing(effects.run(install, { of: installed }))).toBe(
      'Conflict: Karmada karmada-alpha/alpha exists and was not made by Kairship',
    )
  })

  /** The Karmada object and its namespace on the host, each with what the API server does when it is deleted. */
  const installedOn = (host: Record<string, KubeObject | undefined>, onDelete: (path: string) => void) => {
    effects.host.script = ({ method, path }) => {
      if (method === 'DELETE') onDelete(path)
      return method === 'DELETE' ? {} : host[path]
    }
  }
  const NAMESPACE = '/api/v1/namespaces/karmada-alpha'
  const made = (kind: string, name: string): KubeObject => ({
    apiVersion: 'v1',
    kind,
    metadata: { name, uid: `uid of ${name}`, labels: labelsOf('alpha') },
  })
  const deletions = () => effects.host.lines.filter(line => line.startsWith('DELETE'))

  it('is removed with its namespace last, after the Karmada object is gone', async () => {
    const host: Record<string, KubeObject | undefined> = {
      [KARMADA]: made('Karmada', 'alpha'),
      [NAMESPACE]: made('Namespace', 'karmada-alpha'),
    }
    installedOn(host, path => {
      const { metadata, ...rest } = host[path]!
      // karmada-operator holds its object with a finalizer.
      if (path === KARMADA)
        host[path] = {
          ...rest,
          metadata: { ...metadata, deletionTimestamp: 'now', finalizers: ['operator'] },
        }
      else host[path] = undefined
    })
    expect(await failing(effects.run(uninstall, { of: installed }))).toBe(
      'StillThere: Karmada alpha is being deleted; finalizers: operator',
    )
    expect(deletions()).toEqual([`DELETE ${KARMADA}`])
    host[KARMADA] = undefined
    expect(await effects.run(uninstall, { of: installed })).toBe('gone')
    expect(deletions()).toEqual([`DELETE ${KARMADA}`, `DELETE ${NAMESPACE}`])
  })

  it('is removed without the namespace when another owner created that', async () => {
    const host: Record<string, KubeObject | undefined> = {
      [KARMADA]: made('Karmada', 'alpha'),
      [NAMESPACE]: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'karmada-alpha' } },
    }
    installedOn(host, path => {
      host[path] = undefined
    })
    expect(await effects.run(uninstall, { of: installed })).toBe('gone')
    expect(deletions()).toEqual([`DELETE ${KARMADA}`])
  })
})
