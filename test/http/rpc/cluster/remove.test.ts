import { describe, expect, it } from 'vitest'
import type { Call } from '../../../../http/call/call.js'
import type { Objects } from '../../../../http/objects/objects.js'
import { removeCluster } from '../../../../http/rpc/cluster/remove.js'
import type { Cluster } from '../../../../karmada/objects/cluster.js'
import { bareStatus, StatusError } from '../../../../manifests/status-error.js'
import type { KubeApi, KubeRequest } from '../../../../ports/kube-api.js'

import { silent } from '../../../silent.js'

const stuck = (ready: string): Cluster => ({
  apiVersion: 'cluster.karmada.io/v1alpha1',
  kind: 'Cluster',
  metadata: { name: 'm', uid: 'u', finalizers: ['karmada.io/cluster-controller'] },
  spec: { syncMode: 'Push' },
  status: {
    conditions: [
      {
        type: 'Ready',
        status: ready as 'True',
        reason: 'r',
        message: '',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ],
  },
})
const call = { signal: new AbortController().signal, log: silent } as unknown as Call
const noConnection = () => Promise.reject(new Error('not reached'))
const notFound = () => new StatusError({ ...bareStatus(404, 'gone'), reason: 'NotFound' })

/** An instance whose Cluster is in these states, one after another; the last stays. */
function instanceOf(...states: (Cluster | undefined)[]) {
  const removed: object[] = []
  const objects = {
    get: async () => {
      const state = states.length > 1 ? states.shift() : states[0]
      if (!state) throw notFound()
      return state
    },
    remove: async (...[, , , key, options]: unknown[]) => void removed.push({ key, options }),
    list: async () => ({ pagination: { total: 3 } }),
  } as unknown as Objects
  return { objects, removed }
}
const at = { instance: 'north', name: 'm' }

/** A member that answers like this, until its connection is closed. */
function memberThat(answer: (request: KubeRequest) => unknown) {
  const connection = { isClosed: false }
  const api = {
    request: async (request: KubeRequest) => {
      // What a real connection takes some time for.
      await new Promise(setImmediate)
      if (connection.isClosed) throw new Error('the connection is closed')
      return answer(request)
    },
    close: async () => {
      connection.isClosed = true
    },
  } as unknown as KubeApi
  return { api, connection }
}

describe('the removal of a member', () => {
  it('ends in time with the finalizer that blocks it, and deletes only that Cluster', async () => {
    const { objects, removed } = instanceOf(stuck('Unknown'))
    await expect(removeCluster(objects, noConnection, call, at, 0)).rejects.toMatchObject({
      message:
        'cluster m is still being removed after 0 s: 3 Works are left in karmada-es-m; Karmada does not reach the cluster, and cannot delete what they made there. It is kept by karmada.io/cluster-controller. Call this again to wait on',
      details: { reason: 'ClusterTerminating' },
    })
    expect(removed).toEqual([{ key: { name: 'm' }, options: { uid: 'u' } }])
  })

  it('does not blame the cluster when Karmada reaches it', async () => {
    const { objects } = instanceOf(stuck('True'))
    const failure = await removeCluster(objects, noConnection, call, at, 0).catch(error => error)
    expect(failure.message).not.toContain('does not reach')
  })

  it('ends when another Cluster has taken the name', async () => {
    const { objects } = instanceOf(stuck('True'), { ...stuck('True'), metadata: { name: 'm', uid: 'other' } })
    expect(await removeCluster(objects, noConnection, call, at, 0)).toEqual([
      expect.stringContaining('its Cluster names no credentials'),
    ])
  })

  it('is only tried in a dry run: it says what would be left, and waits for nothing', async () => {
    const { objects, removed } = instanceOf(stuck('True'))
    const left = await removeCluster(objects, noConnection, call, { ...at, dryRun: true })
    expect(left).toEqual([expect.stringContaining('its Cluster names no credentials')])
    expect(removed).toEqual([{ key: { name: 'm' }, options: { uid: 'u', dryRun: true } }])
    const known = {
      ...stuck('True'),
      spec: {
        syncMode: 'Push',
        apiEndpoint: 'https://m',
        secretRef: { namespace: 'karmada-cluster', name: 'm' },
      },
    } as Cluster
    const sent: string[] = []
    const member = memberThat(({ method, path }) => {
      sent.push(method)
      return path.endsWith('/serviceaccounts') ? { items: [] } : { metadata: { name: 'r', uid: 'b' } }
    })
    const whole = instanceOf(known, { ...known, data: { token: 'dA==' } } as Cluster)
    const { api, connection } = member
    expect(await removeCluster(whole.objects, async () => api, call, { ...at, dryRun: true })).toEqual([])
    expect([new Set(sent), connection.isClosed]).toEqual([new Set(['GET']), true])
    const away = instanceOf(known, { ...known, data: { token: 'dA==' } } as Cluster)
    expect(await removeCluster(away.objects, noConnection, call, { ...at, dryRun: true })).toEqual([
      expect.stringContaining('karmada-cluster/karmada-m: '),
    ])
  })

  it('takes the access out of the member also after its caller has hung up', async () => {
    const gone = new AbortController()
    const known = {
      ...stuck('True'),
      spec: {
        syncMode: 'Push',
        apiEndpoint: 'https://m',
        secretRef: { namespace: 'karmada-cluster', name: 'm' },
      },
    } as Cluster
    const { objects } = instanceOf(known, { ...known, data: { token: 'dA==' } } as Cluster, undefined)
    const remove: Objects['remove'] = async () => gone.abort(new Error('the caller hung up'))
    const [sent, bodies]: [string[], unknown[]] = [[], []]
    const { api, connection } = memberThat(({ method, path, body, signal }) => {
      signal?.throwIfAborted()
      sent.push(`${method} ${path}`)
      bodies.push(body)
      if (method === 'GET' && path.endsWith('/serviceaccounts')) return { items: [] }
      return { metadata: { uid: 'b' } }
    })
    const hungUp = { ...call, signal: gone.signal }
    expect(await removeCluster({ ...objects, remove }, async () => api, hungUp, at)).toEqual([])
    expect(sent.at(-1)).toMatch(/^DELETE .*clusterrolebindings/)
    expect(connection.isClosed).toBe(true)
    // All else belongs to the very binding that is deleted.
    expect(bodies.at(-1)).toMatchObject({ preconditions: { uid: 'b' } })
    expect(bodies).toContainEqual({ metadata: { ownerReferences: [expect.objectContaining({ uid: 'b' })] } })
  })

  describe('whose credential Karmada keeps in a Secret', () => {
    const known = {
      ...stuck('True'),
      spec: {
        syncMode: 'Push',
        apiEndpoint: 'https://m',
        secretRef: { namespace: 'karmada-cluster', name: 'm' },
      },
    } as Cluster
    /** An instance that answers to a request for the Secret like this. */
    const answering = (secret: () => Promise<unknown>) => {
      const { objects, removed } = instanceOf(known, undefined)
      const get = (async (...[, , { resource }]: Parameters<Objects['get']>) =>
        resource === 'secrets'
          ? secret()
          : objects.get({} as never, {} as never, {} as never, {} as never)) as Objects['get']
      return { objects: { ...objects, get }, removed }
    }
    const refused = (code: number, reason: string) =>
      Promise.reject(new StatusError({ ...bareStatus(code, reason), reason }))

    it('deletes nothing while nobody can say what the Secret has', async () => {
      const { objects, removed } = answering(() => refused(503, 'ServiceUnavailable'))
      await expect(removeCluster(objects, noConnection, call, at)).rejects.toMatchObject({ code: 503 })
      expect(removed).toEqual([])
    })

    it.each([
      ['is not there', () => refused(404, 'NotFound'), /karmada-cluster\/karmada-m: /],
      ['may not be read', () => refused(403, 'Forbidden'), /karmada-cluster\/karmada-m: /],
      ['has no token', async () => ({ ...known, data: {} }), /the Secret karmada-cluster\/m has no token$/],
    ])('goes on where it %s, and says what stays in the member', async (_, secret, left) => {
      const { objects, removed } = answering(secret)
      expect(await removeCluster(objects, noConnection, call, at)).toEqual([expect.stringMatching(left)])
      expect(removed).toHaveLength(1)
    })
  })

  it('reports leftovers when the cluster cannot be reached', async () => {
    const cluster = stuck('Unknown')
    const known: Cluster = {
      ...cluster,
      spec: {
        ...cluster.spec,
        apiEndpoint: 'https://m',
        secretRef: { namespace: 'karmada-cluster', name: 'm' },
      },
    }
    const secret = { ...known, data: { token: Buffer.from('t').toString('base64') } }
    const { objects } = instanceOf(known, secret, undefined)
    const [left, ...more] = await removeCluster(objects, noConnection, call, at)
    expect([left, more]).toEqual([
      'ClusterRoleBinding and ClusterRole karmada-controller-manager:karmada-m and ServiceAccount karmada-cluster/karmada-m: internal error; the log has it under this request id',
      [],
    ])
  })
})
