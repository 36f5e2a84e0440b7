import { beforeEach, describe, expect, it } from 'vitest'
import type { KubeObject } from '../../../manifests/kube.js'
import { FleetIndex } from '../../../playground/container-management/index/fleet-index.js'
import { parseQuery } from '../../../playground/container-management/query/query.js'
import { select } from '../../../playground/container-management/query/select.js'

const deployments = {
  group: 'apps',
  version: 'v1',
  resource: 'deployments',
  kind: 'Deployment',
  namespaced: true,
}
const pods = { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true }

const object = (
  namespace: string,
  name: string,
  more: Partial<KubeObject['metadata']> = {},
  spec: object = {},
): KubeObject =>
  ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace, name, uid: `${namespace}/${name}`, resourceVersion: '1', ...more },
    spec,
  }) as KubeObject

let index: FleetIndex
function put(cluster: string, type: typeof deployments, ...objects: readonly KubeObject[]): void {
  const table = index.table(cluster, type)
  table.take({ type: 'restarted' }, 0)
  table.take({ type: 'listed', objects }, 0)
  table.take({ type: 'synced', cursor: '10' }, 0)
}

beforeEach(() => {
  index = new FleetIndex()
  put(
    'one',
    deployments,
    object('b', 'web', { labels: { app: 'web' }, creationTimestamp: '2026-01-01T00:00:00Z' }),
    object(
      'a',
      'api',
      { labels: { app: 'api' }, creationTimestamp: '2026-01-03T00:00:00Z' },
      { replicas: 3 },
    ),
  )
  put('two', deployments, object('a', 'web', { creationTimestamp: '2026-01-02T00:00:00Z' }))
})

const type = () => index.type(deployments)!
const read = (parameters: Record<string, string>) => {
  const page = select(index, type(), parseQuery(new URLSearchParams(parameters)))
  return {
    ...page,
    names: [...page.objects].map(({ cluster, namespace, name }) => `${cluster}/${namespace}/${name}`),
  }
}

describe('a selection', () => {
  it('has a total order even when none is requested', () => {
    expect(read({}).names).toEqual(['one/a/api', 'one/b/web', 'two/a/web'])
  })

  it.each([
    [{ clusters: 'two' }, ['two/a/web']],
    [{ clusters: 'one,two', namespaces: 'a' }, ['one/a/api', 'two/a/web']],
    [{ names: 'web' }, ['one/b/web', 'two/a/web']],
    [{ labelSelector: 'app' }, ['one/a/api', 'one/b/web']],
    [{ labelSelector: 'app!=web' }, ['one/a/api', 'two/a/web']],
    [{ fieldSelector: 'spec.replicas=3' }, ['one/a/api']],
    [{ since: '2026-01-02' }, ['one/a/api', 'two/a/web']],
    [{ before: '2026-01-02' }, ['one/b/web']],
    [{ orderby: 'created_at desc' }, ['one/a/api', 'two/a/web', 'one/b/web']],
    [{ labelSelector: 'internalstorage.clusterpedia.io/fuzzy-name=e' }, ['one/b/web', 'two/a/web']],
    [{ clusters: 'three' }, []],
  ] as const)('for %j gives %j', (parameters, names) =>
    expect(read(parameters as unknown as Record<string, string>).names).toEqual(names),
  )

  it('pages by offset, with the remaining count, and a continue token only when requested and the page is full', () => {
    const first = read({ limit: '2', withContinue: 'true', withRemainingCount: 'true' })
    expect(first).toMatchObject({ names: ['one/a/api', 'one/b/web'], continue: '2', remaining: 1 })
    const last = read({ limit: '2', withContinue: 'true', withRemainingCount: 'true', continue: '2' })
    expect(last).toMatchObject({ names: ['two/a/web'], remaining: 0 })
    expect(last.continue).toBeUndefined()
    expect(read({ limit: '2' }).continue).toBeUndefined()
    expect(read({ limit: '2', continue: '5', withRemainingCount: 'true' }).remaining).toBe(-2)
  })

  it('stays sorted while objects change', () => {
    expect(read({ orderby: 'name' }).names[0]).toBe('one/a/api')
    const table = index.table('one', deployments)
    table.take({ type: 'deleted', object: object('a', 'api', { resourceVersion: '11' }), cursor: '11' }, 0)
    table.take({ type: 'applied', object: object('c', 'aaa', { resourceVersion: '12' }), cursor: '12' }, 0)
    expect(read({ orderby: 'name' }).names).toEqual(['one/c/aaa', 'one/b/web', 'two/a/web'])
  })

  it('finds children and grandchildren of an owner', () => {
    const owned = (name: string, uid: string) =>
      object('b', name, {
        ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid, controller: true }],
      })
    put('one', { ...deployments, resource: 'replicasets', kind: 'ReplicaSet' }, owned('web-1', 'b/web'))
    put('one', pods as typeof deployments, owned('web-1-a', 'b/web-1'), owned('stray', 'nobody'))
    const podsOf = (parameters: Record<string, string>) =>
      [
        ...select(
          index,
          index.type(pods)!,
          parseQuery(new URLSearchParams({ clusters: 'one', ...parameters })),
        ).objects,
      ].map(({ name }) => name)
    expect(podsOf({ ownerUID: 'b/web-1' })).toEqual(['web-1-a'])
    expect(podsOf({ ownerUID: 'b/web', ownerSeniority: '1' })).toEqual(['web-1-a'])
    expect(podsOf({ ownerName: 'web', ownerGR: 'deployments.apps', ownerSeniority: '1' })).toEqual([
      'web-1-a',
    ])
    expect(podsOf({ ownerName: 'web', ownerGR: 'statefulsets.apps', ownerSeniority: '1' })).toEqual([])
  })

  it('of a removed cluster is empty', () => {
    index.dropCluster('two')
    expect(read({}).names).toEqual(['one/a/api', 'one/b/web'])
    index.dropCluster('one')
    expect(index.type(deployments)).toBeUndefined()
  })
})
