import { describe, expect, it } from 'vitest'
import type { Call } from '../../../../http/call/call.js'
import { joinCluster } from '../../../../http/rpc/cluster/join.js'
import { bareStatus, StatusError } from '../../../../manifests/status-error.js'
import type { KubeApi, KubeRequest } from '../../../../ports/kube-api.js'
import { silent } from '../../../silent.js'
import { notFound, recordingObjects } from '../recording-objects.js'

const call = { signal: new AbortController().signal, log: silent } as unknown as Call
const at = { instance: 'north', name: 'm', cluster: undefined, kubeconfig: 'kubeconfig' }
const refusal = (code: number, reason: string) => new StatusError({ ...bareStatus(code, 'refused'), reason })

/** A cluster in which nothing is there yet but its own objects, and that issues tokens; with what is sent to it. */
function cluster(more: Partial<KubeApi> = {}) {
  const sent: string[] = []
  const api = {
    ...{ server: 'https://m.example:6443', insecure: false, close: async () => undefined, ...more },
    request: async ({ method, path, body }: KubeRequest) => {
      sent.push(`${method} ${path}`)
      if (method !== 'GET') return { ...(body as object), metadata: { uid: 'u' } }
      if (path.endsWith('/kube-system')) return { metadata: { name: 'kube-system', uid: 'id' } }
      if (path.includes('/secrets/') && sent.some(one => one.startsWith('POST') && one.endsWith('/secrets')))
        return { metadata: { uid: 'u' }, data: { token: 'dG9rZW4=', 'ca.crt': 'Y2E=' } }
      throw notFound()
    },
  } as unknown as KubeApi
  return { connect: async () => api, sent }
}

describe('a cluster that joins', () => {
  it.each([
    ['clusters', 400, 'Invalid'],
    ['secrets', 403, 'Forbidden'],
  ])('receives no request where the control plane refuses its %s', async (resource, code, reason) => {
    const { objects, writes } = recordingObjects(() => undefined)
    const { connect, sent } = cluster()
    const create: typeof objects.create = async (of, place, type, object, options = {}) => {
      if (type.resource === resource && options.dryRun) throw refusal(code, reason)
      return objects.create(of, place, type, object, options)
    }
    await expect(joinCluster({ ...objects, create }, connect, call, at)).rejects.toThrow('refused')
    expect(sent).toEqual([])
    expect(writes().filter(({ options }) => !(options as { dryRun?: boolean }).dryRun)).toEqual([])
  })

  it('is refused by the field of the path for a name that no cluster may have', async () => {
    const { objects } = recordingObjects(() => undefined)
    const causes = ['metadata.name', 'spec.region'].map(field => ({ field, message: 'is wrong' }))
    const status = { ...bareStatus(422, 'refused'), reason: 'Invalid', details: { causes } }
    const create = () => Promise.reject(new StatusError(status))
    await expect(joinCluster({ ...objects, create }, cluster().connect, call, at)).rejects.toMatchObject({
      details: { violations: [{ field: 'name' }, { field: 'cluster.spec.region' }] },
    })
  })

  it.each([
    [{}, { apiEndpoint: 'https://m.example:6443' }],
    [{ insecure: true }, { insecureSkipTLSVerification: true }],
  ])('over %j is reached by Karmada with %j', async (connection, spec) => {
    const { objects, writes } = recordingObjects(() => undefined)
    await joinCluster(objects, cluster(connection).connect, call, at)
    const made = writes().flatMap(({ verb, resource, object }) =>
      verb === 'create' && resource === 'clusters' ? [object] : [],
    )
    expect(made.at(-1)).toMatchObject({
      spec: { ...spec, id: 'id', syncMode: 'Push', secretRef: { namespace: 'karmada-cluster', name: 'm' } },
    })
    if (!('insecure' in connection)) expect(JSON.stringify(made)).not.toContain('insecure')
  })

  it('gives its Secrets to the Cluster, so that they go with it', async () => {
    const { objects, writes } = recordingObjects(() => undefined)
    await joinCluster(objects, cluster().connect, call, at)
    expect(writes().filter(({ verb }) => verb === 'patch')).toMatchObject(
      ['m-impersonator', 'm'].map(name => ({
        ...{ resource: 'secrets', key: { name } },
        patch: { body: { metadata: { ownerReferences: [{ kind: 'Cluster', name: 'm' }] } } },
      })),
    )
  })
})
