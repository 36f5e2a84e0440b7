import { describe, expect, it } from 'vitest'
import type { ObjectType } from '../../../../http/objects/object-type.js'
import type { ObjectCall, ObjectEvent, Objects } from '../../../../http/objects/objects.js'
import { followDistributed } from '../../../../http/rpc/distribution/follow-distributed.js'
import type { KubeObject } from '../../../../manifests/kube.js'
import { StatusError } from '../../../../manifests/status-error.js'
import { aloneAnswers } from '../../fakes/answers.js'

const type: ObjectType = {
  ...{ group: 'apps', version: 'v1', resource: 'deployments', kind: 'Deployment', namespaced: true },
}
const web: KubeObject = {
  ...{ apiVersion: 'apps/v1', kind: 'Deployment' },
  metadata: { name: 'web', namespace: 'shop' },
}
const forbidden = () =>
  new StatusError({
    ...{ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' },
    ...{ code: 403, reason: 'Forbidden', message: 'not for you' },
  } as never)

/** Follows over lists that say what they are given, and then nothing until their signal aborts. */
function follow(failing: Readonly<Record<string, Error>> = {}) {
  const open = new Set<string>()
  const gone = new AbortController()
  async function* watch(
    call: ObjectCall,
    { resource }: ObjectType,
  ): AsyncGenerator<ObjectEvent<KubeObject>, void> {
    open.add(resource)
    try {
      if (failing[resource]) throw failing[resource]
      yield { type: 'RESET', total: 0 }
      if (resource === 'deployments') yield { type: 'ADDED', object: web, total: 1 }
      yield { type: 'BOOKMARK', total: 0 }
      await new Promise((_, reject) => {
        if (call.signal.aborted) reject(call.signal.reason)
        call.signal.addEventListener('abort', () => reject(call.signal.reason))
      })
    } finally {
      open.delete(resource)
    }
  }
  const objects = {
    watch: (call: ObjectCall, _place: unknown, of: ObjectType) => watch(call, of),
  } as unknown as Objects
  const call: ObjectCall = {
    ...{ caller: { user: 'me', groups: [], extra: {} }, signal: gone.signal, answered: () => undefined },
    answers: aloneAnswers(true),
  }
  const query = { page: 1, pageSize: 0 }
  return { events: followDistributed(objects, call, { place: { instance: 'i' }, type, query }), open, gone }
}

describe('a list that is followed with its distributions', () => {
  it('closes all its streams when its reader stops, at any point', async () => {
    for (const read of [1, 2, 3]) {
      const { events, open } = follow()
      for (let n = 0; n < read; n += 1) await events.next()
      expect([...open].sort()).toEqual(['clusters', 'deployments', 'resourcebindings'])
      await events.return()
      await expect.poll(() => [...open]).toEqual([])
    }
  })

  it('closes all its streams when its caller aborts, and throws the caller’s reason', async () => {
    const { events, open, gone } = follow()
    for (let n = 0; n < 3; n += 1) await events.next()
    const next = events.next()
    gone.abort(new Error('hung up'))
    await expect(next).rejects.toThrow('hung up')
    await expect.poll(() => [...open]).toEqual([])
  })

  it.each(['clusters', 'deployments', 'resourcebindings'])(
    'fails when its stream of %s fails, and closes the others',
    async resource => {
      const { events, open } = follow({ [resource]: new Error('broken') })
      await expect(events.next()).rejects.toThrow('broken')
      await expect.poll(() => [...open]).toEqual([])
    },
  )

  it('reports an unknown distribution where the caller may not read bindings, and continues', async () => {
    const { events } = follow({ resourcebindings: forbidden(), clusters: forbidden() })
    await events.next()
    expect((await events.next()).value).toMatchObject({ type: 'ADDED', extra: { placed: 'unknown' } })
    await events.return()
  })

  it('can be resumed after the last step of a change, and not between its steps', async () => {
    const mark = { version: '1', digest: '0'.repeat(16) }
    const member = (status: string): KubeObject & object => ({
      ...{ apiVersion: 'cluster.karmada.io/v1alpha1', kind: 'Cluster', metadata: { name: 'm' } },
      ...{ spec: {}, status: { conditions: [{ type: 'Ready', status }] } },
    })
    const templates = ['api', 'web'].map(name => ({ ...web, metadata: { ...web.metadata, name } }))
    const lists: Readonly<Record<string, readonly KubeObject[]>> = {
      deployments: templates,
      clusters: [member('True')],
      resourcebindings: templates.map(({ metadata: { namespace = '', name } }) => ({
        ...{ apiVersion: 'work.karmada.io/v1alpha2', kind: 'ResourceBinding' },
        metadata: { namespace, name: `${name}-deployment` },
        spec: {
          resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name },
          clusters: [{ name: 'm', replicas: 1 }],
        },
      })),
    }
    const gone = new AbortController()
    async function* watch(call: ObjectCall, { resource }: ObjectType) {
      yield { type: 'RESET', total: 0 }
      for (const object of lists[resource] ?? []) yield { type: 'ADDED', object, total: 1 }
      yield { type: 'BOOKMARK', total: 0, mark }
      if (resource === 'clusters') yield { type: 'MODIFIED', object: member('False'), total: 1, mark }
      await new Promise((_, reject) =>
        call.signal.addEventListener('abort', () => reject(call.signal.reason)),
      )
    }
    const objects = {
      watch: (call: ObjectCall, _place: unknown, of: ObjectType) => watch(call, of),
    } as unknown as Objects
    const call: ObjectCall = {
      ...{ caller: { user: 'me', groups: [], extra: {} }, signal: gone.signal, answered: () => undefined },
      answers: aloneAnswers(true),
    }
    const query = { page: 1, pageSize: 0 }
    const events = followDistributed(objects, call, { place: { instance: 'i' }, type, query })
    const steps: unknown[] = []
    for (let n = 0; n < 6; n += 1) {
      const { value } = await events.next()
      steps.push([value?.type, value?.marks?.length ?? 0])
    }
    expect(steps.slice(3)).toEqual([
      ['BOOKMARK', 3],
      ['MODIFIED', 0],
      ['MODIFIED', 3],
    ])
    await events.return()
  })
})
