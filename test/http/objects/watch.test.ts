import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { objectsOf } from '../../../http/objects/karmada-objects.js'
import type { ListQuery } from '../../../http/objects/list-query.js'
import type { ObjectType } from '../../../http/objects/object-type.js'
import type { ObjectEvent } from '../../../http/objects/objects.js'
import { requestParts } from '../../../http/proxy/request-parts.js'
import { WriteLedger } from '../../../http/read-your-writes/ledger.js'
import type { KubeObject } from '../../../manifests/kube.js'
import { StatusError } from '../../../manifests/status-error.js'
import { unmetered } from '../../silent.js'
import { aloneAnswers } from '../fakes/answers.js'
import { fakeLog } from '../fakes/log.js'
import { type PlaygroundProxy, startPlaygroundProxy } from '../proxy/playground-proxy.js'

const type: ObjectType = {
  ...{ group: '', version: 'v1', resource: 'configmaps', kind: 'ConfigMap', namespaced: true },
}
const maps = '/api/v1/namespaces/default/configmaps'

let world: PlaygroundProxy
let parts: ReturnType<typeof requestParts>
const open: AbortController[] = []
beforeAll(async () => {
  world = await startPlaygroundProxy()
  const now = () => performance.now()
  const { fleet } = world.manager
  const common = { fleet, log: fakeLog(), meter: unmetered, now, ledger: new WriteLedger(now) }
  parts = requestParts({ ...common, limits: { streamsPerCaller: 4 } })
})
afterAll(async () => {
  for (const one of open) one.abort(new Error('the test is over'))
  await world.close()
})

/** Follows a list, as a person. */
function follow(query: Partial<ListQuery<KubeObject>>, user = 'admin@playground') {
  const gone = new AbortController()
  open.push(gone)
  const call = {
    caller: { user, groups: ['system:authenticated'], extra: {} },
    signal: gone.signal,
    answers: aloneAnswers(true),
    answered: () => undefined,
  }
  const objects = objectsOf({ parts, instances: { sameAsWritten: () => undefined } })
  const whole = { page: 1, pageSize: 0, namespace: 'default', ...query }
  const events = objects.watch(call, { instance: world.instance }, type, whole)[Symbol.asyncIterator]()
  return {
    gone,
    events,
    /** The next ones, in short: type, name, how many match. */
    next: async (count: number) => {
      const told: unknown[] = []
      for (let n = 0; n < count; n += 1) {
        const { value } = await events.next()
        const event = value as ObjectEvent<KubeObject>
        told.push([event.type, ...('object' in event ? [event.object.metadata.name] : []), event.total])
      }
      return told
    },
  }
}

const local = () => world.playground.karmadas.get(world.instance)!.server.local
const make = (name: string, labels: Record<string, string>, data = {}) =>
  local().request({ method: 'POST', path: maps, body: { metadata: { name, labels }, data } })
const change = (name: string, body: object) =>
  local().request({
    ...{ method: 'PATCH', path: `${maps}/${name}`, body },
    contentType: 'application/merge-patch+json',
  })
const remove = (name: string) => local().request({ method: 'DELETE', path: `${maps}/${name}` })

describe('a list that is followed', () => {
  it('emits the present objects, then each change, and the number of matches after each', async () => {
    await make('b', { test: 'one' })
    await make('a', { test: 'one' })
    const { next, gone } = follow({ labelSelector: 'test=one' })
    expect(await next(4)).toEqual([
      ['RESET', 0],
      ['ADDED', 'a', 1],
      ['ADDED', 'b', 2],
      ['BOOKMARK', 2],
    ])
    await make('c', { test: 'one' })
    await make('other', { test: 'none' })
    await change('a', { data: { x: '1' } })
    await remove('b')
    expect(await next(3)).toEqual([
      ['ADDED', 'c', 3],
      ['MODIFIED', 'a', 3],
      ['DELETED', 'b', 2],
    ])
    gone.abort(new Error('enough'))
  })

  it('emits a DELETED when an object no longer matches the instance’s selector or our own filter', async () => {
    await make('leaver', { test: 'two' }, { state: 'good' })
    const byLabel = follow({ labelSelector: 'test=two' })
    const byState = follow({
      nameContains: ['leaver'],
      where: object => (object as { data?: { state?: string } }).data?.state === 'good',
    })
    for (const { next } of [byLabel, byState]) await next(3)
    await change('leaver', { data: { state: 'bad' } })
    expect(await byState.next(1)).toEqual([['LEFT', 'leaver', 0]])
    expect(await byLabel.next(1)).toEqual([['MODIFIED', 'leaver', 1]])
    await change('leaver', { metadata: { labels: { test: 'three' } } })
    expect(await byLabel.next(1)).toEqual([['LEFT', 'leaver', 0]])
    await change('leaver', { data: { state: 'good' }, metadata: { labels: { test: 'two' } } })
    expect(await byLabel.next(1)).toEqual([['ADDED', 'leaver', 1]])
    expect(await byState.next(1)).toEqual([['ADDED', 'leaver', 1]])
    for (const { gone } of [byLabel, byState]) gone.abort(new Error('enough'))
  })

  it('emits a DELETED when another object has taken the name, which no selector selects', async () => {
    await make('again', { test: 'nine' })
    const { next, gone, events } = follow({ labelSelector: 'test=nine' })
    await next(3)
    await remove('again')
    await make('again', { test: 'ten' })
    expect(await next(1)).toEqual([['DELETED', 'again', 0]])
    gone.abort(new Error('enough'))
    await expect(events.next()).rejects.toThrow('enough')
  })

  it('learns of every change before it judges it, and nothing of what is gone', async () => {
    const learned: unknown[] = []
    const { next, gone, events } = follow({
      nameContains: ['learned'],
      learn: async ({ metadata }) => void learned.push(metadata.name),
      where: () => learned.length > 1,
    })
    await next(2)
    await make('learned', {})
    await change('learned', { data: { a: 'b' } })
    expect(await next(1)).toEqual([['ADDED', 'learned', 1]])
    await remove('learned')
    expect(await next(1)).toEqual([['DELETED', 'learned', 0]])
    expect(learned).toEqual(['learned', 'learned'])
    gone.abort(new Error('enough'))
    await expect(events.next()).rejects.toThrow('enough')
  })

  it('ends with its caller, and releases its stream slot', async () => {
    for (let n = 0; n < 6; n += 1) {
      const { next, gone, events } = follow({ names: ['nothing'] })
      expect(await next(2)).toEqual([
        ['RESET', 0],
        ['BOOKMARK', 0],
      ])
      const waiting = events.next()
      gone.abort(new Error(`gone ${n}`))
      await expect(waiting).rejects.toThrow(`gone ${n}`)
    }
  })

  it('is refused where the instance refuses, and beyond the stream limit of a caller', async () => {
    await expect(follow({}, 'stranger').next(1)).rejects.toBeInstanceOf(StatusError)
    const held = []
    for (let n = 0; n < 4; n += 1) {
      const one = follow({ names: ['nothing'] })
      await one.next(2)
      held.push({ ...one, waiting: one.events.next().catch(() => undefined) })
    }
    const fifth = follow({ names: ['nothing'] })
    await fifth.next(2)
    await expect(fifth.events.next()).rejects.toThrow('the most allowed')
    for (const { gone, waiting } of held) {
      gone.abort(new Error('enough'))
      await waiting
    }
  })
})
