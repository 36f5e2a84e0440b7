import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../manifests/kube.js'
import { ObjectStore, objectKey } from '../../streams/object-store.js'
import type { Seen } from '../../streams/seen.js'
import { applied, bookmarked, deleted, listed, synced, thing } from './timeline.js'

const restarted: Seen<KubeObject> = { type: 'restarted' }
const interrupted: Seen<KubeObject> = {
  type: 'interrupted',
  error: new Error('cut'),
  attempt: 1,
  silentMs: 0,
  retryInMs: 1,
}

/** What a sequence changed, in words. */
const changes = (...sequence: Seen<KubeObject>[]): string[] => {
  const store = new ObjectStore<KubeObject>()
  return sequence
    .flatMap(seen => store.take(seen))
    .map(change => (change.type === 'SYNCED' ? 'SYNCED' : `${change.type} ${inShort(change.object)}`))
}
const inShort = ({ metadata: { name, uid, resourceVersion } }: KubeObject) =>
  `${name}@${resourceVersion}${uid === `uid-${name}` ? '' : ` (${uid})`}`

describe('ObjectStore', () => {
  it('adds the items of a list, and reports when the list is complete', () => {
    expect(changes(restarted, listed(thing('a', 1)), listed(thing('b', 2)), synced(9))).toEqual([
      'ADDED a@1',
      'ADDED b@2',
      'SYNCED',
    ])
  })

  it('distinguishes a changed object from a new one and from a repeated one', () => {
    expect(changes(applied('a', 1), applied('a', 1), applied('a', 2))).toEqual(['ADDED a@1', 'MODIFIED a@2'])
  })

  it('treats another uid as another object, also at the same version', () => {
    expect(changes(applied('a', 1, 'first'), applied('a', 1, 'second'))).toEqual([
      'ADDED a@1 (first)',
      'DELETED a@1 (first)',
      'ADDED a@1 (second)',
    ])
  })

  it('treats an object without a resourceVersion as changed', () => {
    const unversioned: Seen<KubeObject> = {
      type: 'applied',
      object: { apiVersion: 'test/v1', kind: 'Thing', metadata: { name: 'a', uid: 'uid-a' } },
      cursor: '1',
    }
    expect(changes(unversioned, unversioned)).toEqual(['ADDED a@undefined', 'MODIFIED a@undefined'])
  })

  it('deletes objects that a complete relist did not name', () => {
    const before = [restarted, listed(thing('a', 1), thing('b', 2)), synced(9)]
    expect(changes(...before, restarted, listed(thing('b', 2)), synced(12)).slice(3)).toEqual([
      'DELETED a@1',
      'SYNCED',
    ])
  })

  it('deletes no object for an incomplete relist', () => {
    const before = [restarted, listed(thing('a', 1), thing('b', 2)), synced(9)]
    expect(changes(...before, restarted, listed(thing('b', 2)), interrupted).slice(3)).toEqual([])
    const again = [restarted, listed(thing('a', 1)), synced(12)]
    expect(changes(...before, restarted, listed(thing('b', 2)), interrupted, ...again).slice(3)).toEqual([
      'DELETED b@2',
      'SYNCED',
    ])
  })

  it('reports a deletion when a name was recreated across a relist', () => {
    const before = [restarted, listed(thing('a', 1, 'first')), synced(9)]
    const after = [restarted, listed(thing('a', 11, 'second')), synced(12)]
    expect(changes(...before, ...after).slice(2)).toEqual([
      'DELETED a@1 (first)',
      'ADDED a@11 (second)',
      'SYNCED',
    ])
  })

  it('reports a deletion when a name was recreated between two events', () => {
    expect(changes(applied('a', 1, 'first'), applied('a', 3, 'second')).slice(1)).toEqual([
      'DELETED a@1 (first)',
      'ADDED a@3 (second)',
    ])
  })

  it('keeps the successor when the deletion of an earlier object arrives', () => {
    expect(changes(applied('a', 3, 'second'), deleted('a', 2, 'first'))).toEqual(['ADDED a@3 (second)'])
  })

  it('ignores deletions of unknown objects, bookmarks and interruptions', () => {
    expect(changes(deleted('a', 3), bookmarked(4), interrupted)).toEqual([])
  })

  it('emits the last state with a deletion', () => {
    expect(changes(applied('a', 1), deleted('a', 5)).at(-1)).toBe('DELETED a@5')
  })

  it('stays synced during a later list', () => {
    const store = new ObjectStore<KubeObject>()
    store.take(restarted)
    expect(store.synced).toBe(false)
    store.take(synced(1))
    store.take(restarted)
    expect(store.synced).toBe(true)
  })

  it('distinguishes objects of one name in different namespaces', () => {
    const inNamespace = (namespace: string): KubeObject => ({
      ...thing('a', 1),
      metadata: { ...thing('a', 1).metadata, namespace },
    })
    const store = new ObjectStore<KubeObject>()
    store.take(listed(inNamespace('x'), inNamespace('y')))
    expect([...store.values()].map(objectKey)).toEqual(['x/a', 'y/a'])
    expect(store.get('y/a')?.metadata.namespace).toBe('y')
    expect(store.size).toBe(2)
  })
})
