import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../../manifests/kube.js'
import {
  ClusterTable,
  type TableEvent,
} from '../../../playground/container-management/index/cluster-table.js'
import { parsed } from '../../../playground/container-management/index/indexed-object.js'

const object = (name: string, resourceVersion: string, uid = name): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'n', name, uid, resourceVersion, managedFields: [{ manager: 'm' }] },
})

function synced(...objects: readonly KubeObject[]) {
  const table = new ClusterTable('c', () => undefined)
  table.take({ type: 'restarted' }, 0)
  table.take({ type: 'listed', objects }, 0)
  table.take({ type: 'synced', cursor: '10' }, 0)
  return table
}

function watched(table: ClusterTable) {
  const seen: string[] = []
  const stop = table.watch({
    onEvent: ({ type, object: { name }, resourceVersion }: TableEvent) =>
      seen.push(`${type} ${name} ${resourceVersion}`),
    onProgress: version => seen.push(`at ${version}`),
    onEnd: () => seen.push('end'),
  })
  return { seen, stop }
}

describe('the index table of one cluster', () => {
  it('has no version before its first complete list', () => {
    const table = new ClusterTable('c', () => undefined)
    table.take({ type: 'restarted' }, 0)
    table.take({ type: 'listed', objects: [object('a', '5')] }, 0)
    expect(table.resourceVersion).toBe('')
    expect(table.since('5')).toBeUndefined()
    table.take({ type: 'synced', cursor: '10' }, 0)
    expect(table.resourceVersion).toBe('10')
  })

  it('keeps the whole object and adds only its cluster annotation', () => {
    const kept = parsed(synced(object('a', '5')).get('n', 'a')!)
    expect(kept.metadata).toMatchObject({
      managedFields: [{ manager: 'm' }],
      resourceVersion: '5',
      annotations: { 'shadow.clusterpedia.io/cluster-name': 'c' },
    })
  })

  it('emits every change to watchers with the version of the cluster itself', () => {
    const table = synced(object('a', '5'))
    const { seen, stop } = watched(table)
    table.take({ type: 'applied', object: object('b', '11'), cursor: '11' }, 0)
    table.take({ type: 'applied', object: object('a', '12'), cursor: '12' }, 0)
    table.take({ type: 'applied', object: object('a', '12'), cursor: '12' }, 0)
    table.take({ type: 'deleted', object: object('b', '13'), cursor: '13' }, 0)
    table.take({ type: 'deleted', object: object('b', '14'), cursor: '14' }, 0)
    table.take({ type: 'bookmarked', cursor: '20' }, 0)
    stop()
    table.take({ type: 'applied', object: object('c', '21'), cursor: '21' }, 0)
    expect(seen).toEqual(['ADDED b 11', 'MODIFIED a 12', 'DELETED b 13', 'at 20'])
  })

  it('resumes from any version in its history, and from none before', () => {
    const table = synced(object('a', '5'))
    for (let version = 11; version < 15; version++)
      table.take({ type: 'applied', object: object('a', `${version}`), cursor: `${version}` }, 0)
    expect(table.since('12')?.map(({ resourceVersion }) => resourceVersion)).toEqual(['13', '14'])
    expect(table.since('10')).toHaveLength(4)
    expect(table.since('14')).toEqual([])
    expect(table.since('9')).toBeUndefined()
  })

  it('drops the oldest changes, and answers 410 for them', () => {
    const table = synced()
    for (let version = 11; version < 3000; version++)
      table.take({ type: 'applied', object: object('a', `${version}`), cursor: `${version}` }, 0)
    expect(table.since('11')).toBeUndefined()
    expect(table.since('2990')).toHaveLength(9)
  })

  it('ends watches when a relist rewrites the history, and drops objects that the list lacks', () => {
    const table = synced(object('a', '5'), object('b', '6'))
    const { seen } = watched(table)
    table.take({ type: 'restarted' }, 0)
    table.take({ type: 'listed', objects: [object('b', '6'), object('c', '40')] }, 0)
    table.take({ type: 'synced', cursor: '50' }, 0)
    expect(seen).toEqual(['end'])
    expect([...table.values()].map(({ name }) => name)).toEqual(['b', 'c'])
    expect(table.since('10')).toBeUndefined()
    expect(table.since('50')).toEqual([])
  })
})
