import { expect } from 'vitest'
import { waitFor } from '../../../patience.js'
import { type Bench, behaviour, configMap, failure, type Group, type Json } from '../behaviour.js'
import type { OpenWatch } from '../wire.js'
import { boats, servesBoats } from './boats.js'

/** Opens a watch, hands it to the check and closes it whatever happens. */
async function watching(
  k: Bench,
  query: Record<string, string | number | boolean>,
  check: (watch: OpenWatch) => Promise<void>,
): Promise<void> {
  const watch = await k.admin.watch(k.core('configmaps'), query)
  try {
    await check(watch)
  } finally {
    watch.close()
  }
}

/** The resourceVersion of the collection now. */
async function now(k: Bench): Promise<string> {
  return k.ok(await k.admin.get(k.core('configmaps'), { limit: 1 })).metadata.resourceVersion
}

/**
 * What is too old is looked for among boats. kube-apiserver's watch cache answers from its first list on, compacted or not, and the first
 * list of ConfigMaps may have been made at revision 1. That of boats was made when their definition was there.
 */
const expired =
  /^(too old resource version: \d+ \(\d+\)|The resourceVersion for the provided watch is too old\.)$/

/** Watches: what is told, in which order, from where, and how they end. */
export const watch: Group = {
  name: 'watch',
  prepare: servesBoats,
  behaviours: [
    behaviour('a watch from a list tells what happened since, in order', async k => {
      const name = k.name()
      const resourceVersion = await now(k)
      await k.made(k.core('configmaps'), configMap(name))
      k.ok(await k.admin.patch(k.core('configmaps', name), 'merge', { data: { a: '2' } }))
      await k.admin.delete(k.core('configmaps', name))
      await watching(k, { resourceVersion }, async watch => {
        const events = await watch.take(3)
        expect(events.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED'])
        expect(events.map(({ object }) => object.data.a)).toEqual(['1', '2', '2'])
      })
    }),
    behaviour('any value of watch but 0 and false is a watch, also none', async k => {
      const resourceVersion = await now(k)
      const { metadata } = await k.configMap()
      for (const watch of ['', 'true', 'TRUE', '1', '2', 'yes', 'on', 'no', 'f'])
        await watching(k, { watch, resourceVersion }, async opened => {
          expect((await opened.take(1))[0]?.object.metadata.name).toBe(metadata.name)
        })
      for (const watch of ['0', 'false', 'False', 'FALSE'])
        expect((await k.admin.get(k.core('configmaps'), { watch })).body.kind).toBe('ConfigMapList')
    }),
    behaviour('a path that names an object is no watch of it', async k => {
      const { metadata } = await k.configMap()
      const { body } = await k.admin.get(k.core('configmaps', metadata.name), { watch: 'true' })
      expect(body.kind).toBe('ConfigMap')
    }),
    behaviour('events carry whole objects with apiVersion and kind', async k => {
      const resourceVersion = await now(k)
      const made = await k.configMap()
      await watching(k, { resourceVersion }, async watch => {
        expect((await watch.take(1))[0]).toEqual({ type: 'ADDED', object: made })
      })
    }),
    behaviour('a DELETED event carries the resourceVersion of the deletion', async k => {
      const made = await k.configMap()
      const resourceVersion = await now(k)
      await k.admin.delete(k.core('configmaps', made.metadata.name))
      await watching(k, { resourceVersion }, async watch => {
        const [event] = await watch.take(1)
        expect(event?.type).toBe('DELETED')
        expect(BigInt(event?.object.metadata.resourceVersion)).toBeGreaterThan(BigInt(resourceVersion))
      })
    }),
    behaviour('resourceVersions of events only rise', async k => {
      const resourceVersion = await now(k)
      for (let index = 0; index < 5; index++) await k.configMap()
      await watching(k, { resourceVersion }, async watch => {
        const versions = (await watch.take(5)).map(({ object }) => BigInt(object.metadata.resourceVersion))
        expect(versions).toEqual([...versions].sort((a, b) => (a < b ? -1 : 1)))
      })
    }),
    behaviour('live events follow without a new request', async k => {
      await watching(k, { resourceVersion: await now(k) }, async watch => {
        const { metadata } = await k.configMap()
        expect((await watch.take(1))[0]?.object.metadata.name).toBe(metadata.name)
        await k.admin.delete(k.core('configmaps', metadata.name))
        expect((await watch.take(1))[0]?.type).toBe('DELETED')
      })
    }),
    behaviour('a watch without resourceVersion begins with what exists, as ADDED', async k => {
      const group = k.name()
      const { metadata } = await k.configMap({ metadata: { labels: { group } } })
      await watching(k, { labelSelector: `group=${group}` }, async watch => {
        expect((await watch.take(1))[0]).toMatchObject({
          type: 'ADDED',
          object: { metadata: { name: metadata.name } },
        })
      })
    }),
    behaviour('a watch from resourceVersion 0 begins with what exists, too', async k => {
      const group = k.name()
      const { metadata } = await k.configMap({ metadata: { labels: { group } } })
      await watching(k, { labelSelector: `group=${group}`, resourceVersion: 0 }, async watch => {
        expect((await watch.take(1))[0]).toMatchObject({
          type: 'ADDED',
          object: { metadata: { name: metadata.name } },
        })
      })
    }),
    behaviour('an object that comes to match the selector is ADDED', async k => {
      const group = k.name()
      const { metadata } = await k.configMap()
      await watching(k, { resourceVersion: await now(k), labelSelector: `group=${group}` }, async watch => {
        k.ok(
          await k.admin.patch(k.core('configmaps', metadata.name), 'merge', {
            metadata: { labels: { group } },
          }),
        )
        expect((await watch.take(1))[0]?.type).toBe('ADDED')
      })
    }),
    behaviour('an object that no longer matches the selector is DELETED, as it was', async k => {
      const group = k.name()
      const { metadata } = await k.configMap({ metadata: { labels: { group } } })
      await watching(k, { resourceVersion: await now(k), labelSelector: `group=${group}` }, async watch => {
        const patched = k.ok(
          await k.admin.patch(k.core('configmaps', metadata.name), 'merge', {
            metadata: { labels: { group: null } },
          }),
        )
        const [event] = await watch.take(1)
        expect(event?.type).toBe('DELETED')
        expect(event?.object.metadata.labels).toEqual({ group })
        expect(event?.object.metadata.resourceVersion).toBe(patched.metadata.resourceVersion)
      })
    }),
    behaviour('a fieldSelector on the name watches one object', async k => {
      const [one, other] = [k.name(), k.name()]
      await watching(
        k,
        { resourceVersion: await now(k), fieldSelector: `metadata.name=${one}` },
        async watch => {
          await k.made(k.core('configmaps'), configMap(other))
          await k.made(k.core('configmaps'), configMap(one))
          expect((await watch.take(1))[0]?.object.metadata.name).toBe(one)
        },
      )
    }),
    behaviour('other namespaces are not told', async k => {
      await watching(k, { resourceVersion: await now(k) }, async watch => {
        const name = k.name()
        await k.made('/api/v1/namespaces/default/configmaps', configMap(name))
        await k.admin.delete(`/api/v1/namespaces/default/configmaps/${name}`)
        const { metadata } = await k.configMap()
        expect((await watch.take(1))[0]?.object.metadata.name).toBe(metadata.name)
      })
    }),
    behaviour('a watch of all namespaces is told everything', async k => {
      const watch = await k.admin.watch('/api/v1/configmaps', { resourceVersion: await now(k) })
      const { metadata } = await k.configMap()
      for (;;) {
        const [event] = await watch.take(1)
        if (event?.object.metadata.uid === metadata.uid) break
      }
      watch.close()
    }),
    behaviour('sendInitialEvents tells what exists, then a bookmark that says so', async k => {
      const group = k.name()
      await k.configMap({ metadata: { labels: { group } } })
      await k.configMap({ metadata: { labels: { group } } })
      const query = {
        labelSelector: `group=${group}`,
        sendInitialEvents: true,
        resourceVersionMatch: 'NotOlderThan',
        allowWatchBookmarks: true,
      }
      await watching(k, query, async watch => {
        const events = [await watch.next(), await watch.next(), await watch.next()]
        expect(events.map(event => event?.type)).toEqual(['ADDED', 'ADDED', 'BOOKMARK'])
        const bookmark = events[2]?.object
        expect(bookmark).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' })
        expect(bookmark.metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' })
        expect(bookmark.metadata.resourceVersion).toMatch(/^[1-9]\d*$/)
        expect(bookmark.metadata.name).toBeUndefined()
      })
    }),
    behaviour('sendInitialEvents goes on with live events after the bookmark', async k => {
      const group = k.name()
      const query = {
        labelSelector: `group=${group}`,
        sendInitialEvents: true,
        resourceVersionMatch: 'NotOlderThan',
        allowWatchBookmarks: true,
      }
      await watching(k, query, async watch => {
        expect((await watch.next())?.type).toBe('BOOKMARK')
        await k.configMap({ metadata: { labels: { group } } })
        expect((await watch.take(1))[0]?.type).toBe('ADDED')
      })
    }),
    behaviour('sendInitialEvents without resourceVersionMatch is Invalid', async k => {
      const { status, body } = await k.admin.get(k.core('configmaps'), {
        watch: true,
        sendInitialEvents: true,
      })
      expect(status).toBe(422)
      expect(body.message).toContain(
        'resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
      )
    }),
    behaviour('resourceVersionMatch without sendInitialEvents is Invalid for a watch', async k => {
      const { status, body } = await k.admin.get(k.core('configmaps'), {
        watch: true,
        resourceVersion: 1,
        resourceVersionMatch: 'NotOlderThan',
      })
      expect(status).toBe(422)
      expect(body.message).toContain('resourceVersionMatch: Forbidden')
    }),
    behaviour('a resourceVersion too old for the server is an ERROR event with code 410', async k => {
      await k.target.compact?.()
      const watch = await k.admin.watch(boats(k), { resourceVersion: 1 })
      try {
        const event = await watch.next()
        expect(event?.type).toBe('ERROR')
        expect(event?.object).toMatchObject({
          kind: 'Status',
          apiVersion: 'v1',
          status: 'Failure',
          reason: 'Expired',
          code: 410,
          message: expect.stringMatching(expired),
        })
        expect(await watch.next()).toBeUndefined()
      } finally {
        watch.close()
      }
    }),
    behaviour('a resourceVersion that is no number is refused', async k => {
      const { status, body } = await k.admin.get(k.core('configmaps'), {
        watch: true,
        resourceVersion: 'nonsense',
      })
      expect(status).toBe(500)
      expect(body.message).toBe(
        'resourceVersion: Invalid value: "nonsense": strconv.ParseUint: parsing "nonsense": invalid syntax',
      )
    }),
    behaviour('timeoutSeconds ends a watch cleanly', async k => {
      await watching(k, { resourceVersion: await now(k), timeoutSeconds: 1 }, async watch => {
        expect(await watch.next()).toBeUndefined()
      })
    }),
    behaviour(
      'a bookmark tells how far a watch without events of its own has come before it ends',
      async k => {
        const query = { resourceVersion: await now(k), timeoutSeconds: 5, allowWatchBookmarks: true }
        const name = k.name()
        await k.made('/api/v1/namespaces/default/configmaps', configMap(name))
        await k.admin.delete(`/api/v1/namespaces/default/configmaps/${name}`)
        // The real server has two seconds for it, and a machine that stands still for these ends the watch without one.
        await waitFor(() =>
          watching(k, query, async watch => {
            const event = await watch.next()
            expect(event?.type).toBe('BOOKMARK')
            expect(BigInt(event?.object.metadata.resourceVersion)).toBeGreaterThan(
              BigInt(query.resourceVersion),
            )
          }),
        )
      },
    ),
    behaviour('a watch of a single object by name is a watch of the collection', async k => {
      const { metadata } = await k.configMap()
      const watch = await k.admin.watch(k.core('configmaps'), {
        fieldSelector: `metadata.name=${metadata.name}`,
      })
      expect((await watch.take(1))[0]?.type).toBe('ADDED')
      watch.close()
    }),
    behaviour('a watch may ask for PartialObjectMetadata', async k => {
      const resourceVersion = await now(k)
      const { metadata } = await k.configMap()
      const watch = await k.admin.watch(
        k.core('configmaps'),
        { resourceVersion },
        { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' },
      )
      const [event] = await watch.take(1)
      watch.close()
      expect(event?.object).toMatchObject({
        kind: 'PartialObjectMetadata',
        metadata: { name: metadata.name },
      })
      expect(event?.object.data).toBeUndefined()
    }),
    behaviour('a watch answers as newline-separated JSON, chunk by chunk', async k => {
      const answer = await k.admin.get(k.core('configmaps'), {
        watch: true,
        timeoutSeconds: 1,
        resourceVersion: await now(k),
      })
      expect(answer.headers['content-type']).toBe('application/json')
      expect(answer.headers['transfer-encoding']).toBe('chunked')
    }),
    behaviour('a change that changes nothing makes no event', async k => {
      const made = await k.configMap()
      await watching(k, { resourceVersion: await now(k) }, async watch => {
        k.ok(await k.admin.put(k.core('configmaps', made.metadata.name), made))
        const next = await k.configMap()
        expect((await watch.take(1))[0]?.object.metadata.name).toBe(next.metadata.name)
      })
    }),
    behaviour('many watches of one collection see the same events', async k => {
      const resourceVersion = await now(k)
      const watches = await Promise.all(
        Array.from({ length: 20 }, () => k.admin.watch(k.core('configmaps'), { resourceVersion })),
      )
      const made = [await k.configMap(), await k.configMap()].map(({ metadata }: Json) => metadata.name)
      const seen = await Promise.all(watches.map(watch => watch.take(2)))
      for (const watch of watches) watch.close()
      for (const events of seen) expect(events.map(({ object }) => object.metadata.name)).toEqual(made)
    }),
    behaviour('an object deleted with a finalizer is MODIFIED first and DELETED at last', async k => {
      const { metadata } = await k.configMap({ metadata: { finalizers: ['example.test/hold'] } })
      await watching(k, { resourceVersion: await now(k) }, async watch => {
        await k.admin.delete(k.core('configmaps', metadata.name))
        k.ok(
          await k.admin.patch(k.core('configmaps', metadata.name), 'merge', {
            metadata: { finalizers: null },
          }),
        )
        const events = await watch.take(2)
        expect(events.map(({ type }) => type)).toEqual(['MODIFIED', 'DELETED'])
        expect(events[0]?.object.metadata.deletionTimestamp).toBeDefined()
      })
    }),
    behaviour('an exact list of a version that was compacted is Expired', async k => {
      await k.target.compact?.()
      const { status, body } = await k.admin.get(boats(k), {
        resourceVersion: 1,
        resourceVersionMatch: 'Exact',
      })
      expect(status).toBe(410)
      expect(body).toEqual(failure(410, 'Expired', 'The resourceVersion for the provided list is too old.'))
    }),
  ],
}
