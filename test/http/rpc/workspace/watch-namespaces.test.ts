import { create } from '@bufbuild/protobuf'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Call } from '../../../../http/call/call.js'
import type { Action } from '../../../../http/identity/authorize.js'
import type { ObjectEvent } from '../../../../http/objects/objects.js'
import { watchBoundNamespaces } from '../../../../http/rpc/workspace/watch-namespaces.js'
import { Workspaces } from '../../../../http/rpc/workspace/workspaces.js'
import type { KubeObject } from '../../../../manifests/kube.js'
import { ListChange_Type as Type } from '../../../../proto/gen/kairship/types_pb.js'
import { WatchNamespaceInstancesRequestSchema } from '../../../../proto/gen/kairship/workspace_pb.js'
import { refusal } from '../fleet/fake-fleet.js'
import { CHECKED, configMap, FollowedFleet, GATHERED, listed, markOf, soon } from '../fleet/followed-fleet.js'
import { FollowedHost } from './followed-host.js'

let host: FollowedHost
let fleet: FollowedFleet
let allows: (action: Action) => boolean
let over: AbortController
let answered: unknown[]

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  host = new FollowedHost()
  over = new AbortController()
  answered = []
  allows = () => true
})
afterEach(async () => {
  over.abort(new Error('over'))
  await soon()
  expect(fleet.open).toBe(0)
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

/** Follows the namespaces. `news` has what came since it was last called. */
async function following(request: { instance?: string; namespace?: string } = {}) {
  const messages: unknown[][] = []
  const handler = watchBoundNamespaces({
    ...fleet.parts(),
    workspaces: new Workspaces(host),
    authorizer: { decide: (_, action) => ({ allowed: allows(action), reason: '' }) },
  })
  const call = {
    ...{ caller: { user: 'ann', groups: [], extra: {} }, signal: over.signal, log: fleet.log },
    answered: (from: unknown) => answered.push(from),
    // The handler decides itself what the caller sees.
    maySee: async () => false,
    isOpen: () => true,
  } as unknown as Call
  const read = async () => {
    const whole = create(WatchNamespaceInstancesRequestSchema, request)
    for await (const { type, total, namespace, unreadInstances } of await handler(whole, call)) {
      const { workspace: { workspace = '', workspaceId = 0 } = {} } = namespace ?? {}
      const row = namespace
        ? [`${namespace.namespace} of ${namespace.instance}`, `${workspace}:${workspaceId}`]
        : []
      const unread = type === Type.BOOKMARK ? [unreadInstances] : []
      messages.push([Type[type as Type], total, ...row, ...unread])
    }
  }
  const ended = read().catch((error: unknown) => error)
  await soon()
  return { ended, news: () => messages.splice(0) }
}
const push = async (instance: string, ...events: readonly (ObjectEvent<KubeObject> | Error)[]) => {
  fleet.last(instance).events.push(...events)
  await soon()
}

describe('a watch of namespaces with their workspaces', () => {
  it('has those of each instance with their workspaces, BOOKMARK when all were read, and then changes', async () => {
    host.workspace('shop', 2)
    host.bind({ instance: 'i', namespace: 'b' }, 'shop')
    host.bind({ instance: 'i' }, 'platform')
    fleet = new FollowedFleet('i')
    fleet.lists.set('i', ['b', 'a'])
    fleet.members.set('i', ['m'])
    const { news } = await following()
    expect(fleet.opened.map(({ place }) => place)).toEqual(['i'])
    expect(news()).toEqual([
      ['RESET', 0],
      ['ADDED', 1, 'a of i', ':0'],
      ['ADDED', 2, 'b of i', 'shop:2'],
      ['BOOKMARK', 2, []],
    ])
    expect(answered).toEqual([{ source: 'karmada', reason: 'Watch' }])
    await push('i', { type: 'ADDED', object: configMap('c'), total: 3 })
    await push('i', { type: 'MODIFIED', object: configMap('c'), total: 3 })
    host.bind({ instance: 'i', namespace: 'c' }, 'shop')
    await soon()
    host.workspace('shop', 3)
    await soon()
    await push('i', { type: 'DELETED', object: configMap('b'), total: 2 })
    host.release({ instance: 'i', namespace: 'c' })
    await soon()
    expect(news()).toEqual([
      ['ADDED', 3, 'c of i', ':0'],
      ['MODIFIED', 3, 'c of i', 'shop:2'],
      ['MODIFIED', 3, 'b of i', 'shop:3'],
      ['MODIFIED', 3, 'c of i', 'shop:3'],
      ['DELETED', 2, 'b of i', 'shop:3'],
      ['MODIFIED', 2, 'c of i', ':0'],
    ])
  })

  it('has the namespace that the request names, and not those whose names contain it', async () => {
    fleet = new FollowedFleet('i', 'j')
    fleet.lists.set('i', ['a', 'ab'])
    const { news } = await following({ namespace: 'a', instance: 'i' })
    expect(news()).toEqual([
      ['RESET', 0],
      ['ADDED', 1, 'a of i', ':0'],
      ['BOOKMARK', 1, []],
    ])
    expect(fleet.opened.map(({ place, query }) => [place, query.nameContains])).toEqual([['i', ['a']]])
    await push(
      'i',
      { type: 'ADDED', object: configMap('ba'), total: 3 },
      { type: 'DELETED', object: configMap('ab'), total: 2 },
      { type: 'DELETED', object: configMap('a'), total: 1 },
    )
    expect(news()).toEqual([['DELETED', 0, 'a of i', ':0']])
  })

  it('compares a list that starts over with what it has shown', async () => {
    fleet = new FollowedFleet('i')
    fleet.lists.set('i', ['a', 'b'])
    const { news } = await following()
    news()
    await push('i', ...listed(['b', 'c'], '9'))
    expect(news()).toEqual([
      ['DELETED', 1, 'a of i', ':0'],
      ['ADDED', 2, 'c of i', ':0'],
    ])
  })

  it('takes in instances that come, and has nothing more of those that go or are made anew', async () => {
    fleet = new FollowedFleet('i', 'j')
    fleet.lists.set('i', ['a']).set('j', ['x', 'b']).set('k', ['c'])
    const { news } = await following()
    news()
    fleet.instances.delete('j')
    fleet.instances.set('k', 'uid')
    fleet.changed()
    await soon(GATHERED)
    const changes = news().map(([type, , row]) => `${type} ${row}`)
    expect(changes.filter(one => one !== 'ADDED c of k')).toEqual(['DELETED b of j', 'DELETED x of j'])
    expect(changes).toHaveLength(3)
    fleet.lists.set('k', ['d'])
    fleet.instances.set('k', 'another uid')
    fleet.changed()
    await soon(2 * GATHERED)
    expect(news().map(([type, , row]) => `${type} ${row}`)).toEqual(['DELETED c of k', 'ADDED d of k'])
  })
})

describe('an instance of a watch of namespaces that cannot be read', () => {
  it('is named until it is read, and once', async () => {
    fleet = new FollowedFleet('i', 'j', 'k')
    fleet.lists
      .set('i', ['a'])
      .set('k', refusal(503, 'Down', 'down'))
      .set('j', refusal(503, 'Down', 'down'))
    const { news } = await following()
    const start = news()
    expect(start[0]).toEqual(['RESET', 0])
    expect(start.filter(([type]) => type === 'BOOKMARK')).toEqual([['BOOKMARK', 1, ['j', 'k']]])
    await soon(2_500)
    expect(news()).toEqual([])
    fleet.lists.set('j', ['b']).set('k', [])
    await soon(60_000)
    expect(news()).toEqual([
      ['ADDED', 2, 'b of j', ':0'],
      ['BOOKMARK', 2, ['k']],
      ['BOOKMARK', 2, []],
    ])
  })

  it('keeps what it has shown where it cannot be reached', async () => {
    fleet = new FollowedFleet('i')
    fleet.lists.set('i', ['a'])
    const { news } = await following()
    news()
    await push('i', refusal(503, 'Down', 'down'))
    expect(news()).toEqual([['BOOKMARK', 1, ['i']]])
  })

  it('has nothing shown while it refuses the caller, and all when it lets the caller in again', async () => {
    fleet = new FollowedFleet('i')
    fleet.lists.set('i', ['b', 'a'])
    const { news } = await following()
    news()
    await push('i', refusal(403, 'Forbidden', 'not for you'))
    expect(news()).toEqual([
      ['DELETED', 1, 'a of i', ':0'],
      ['DELETED', 0, 'b of i', ':0'],
      ['BOOKMARK', 0, ['i']],
    ])
    await soon(3_000)
    expect(fleet.last('i').since).toEqual(markOf('1'))
    await push('i', { type: 'BOOKMARK', total: 2, mark: markOf('7') })
    expect(news()).toEqual([
      ['ADDED', 1, 'a of i', ':0'],
      ['ADDED', 2, 'b of i', ':0'],
      ['BOOKMARK', 2, []],
    ])
  })

  it('is not named any more when it has gone', async () => {
    fleet = new FollowedFleet('i', 'j')
    fleet.lists.set('j', refusal(503, 'Down', 'down'))
    const { news } = await following()
    expect(news().at(-1)).toEqual(['BOOKMARK', 0, ['j']])
    fleet.instances.delete('j')
    fleet.changed()
    await soon(GATHERED)
    expect(news()).toEqual([['BOOKMARK', 0, []]])
  })

  it('is as one that is not there, where the caller may not see it', async () => {
    fleet = new FollowedFleet('i')
    const { news } = await following({ instance: 'j' })
    expect(news()).toEqual([
      ['RESET', 0],
      ['BOOKMARK', 0, []],
    ])
  })

  it('is logged', async () => {
    fleet = new FollowedFleet('i')
    fleet.lists.set('i', new Error('a defect'))
    await following()
    expect(
      fleet.log.lines.map(({ level, fields }) => [level, (fields as { instance?: string }).instance]),
    ).toEqual([
      ['error', 'i'],
      ['info', 'i'],
    ])
  })
})

describe('the rights of a caller who follows namespaces', () => {
  it.each([
    ['sees', (action: Action) => 'resource' in action && action.resource === 'instances/proxy'],
    ['reaches', (action: Action) => 'resource' in action && action.resource === 'instances'],
  ])('are none of an instance that it no longer %s', async (_, left) => {
    fleet = new FollowedFleet('i')
    fleet.lists.set('i', ['a'])
    const { news } = await following()
    expect(news().at(-1)).toEqual(['BOOKMARK', 1, []])
    allows = left
    await soon(CHECKED)
    expect(news()).toEqual([['DELETED', 0, 'a of i', ':0']])
  })

  it('are asked for by the name of the instance', async () => {
    fleet = new FollowedFleet('i', 'j')
    fleet.lists.set('i', ['a']).set('j', ['b'])
    allows = action => 'resource' in action && action.verb === 'get' && action.name === 'j'
    const { news } = await following()
    expect(news()).toEqual([
      ['RESET', 0],
      ['ADDED', 1, 'b of j', ':0'],
      ['BOOKMARK', 1, []],
    ])
  })
})

describe('a request about more instances than one stream follows', () => {
  it('is refused, and says that one is to be named', async () => {
    fleet = new FollowedFleet(...Array.from({ length: 51 }, (_, at) => `i${at}`))
    const { ended, news } = await following()
    expect(news()).toEqual([])
    expect(await ended).toMatchObject({
      code: 3,
      message: expect.stringMatching(/51 instances.*50.*name one/),
    })
  })

  it('has the lists of four of them under way at once', async () => {
    fleet = new FollowedFleet(...Array.from({ length: 6 }, (_, at) => `i${at}`))
    for (const name of fleet.instances.keys()) fleet.lists.set(name, 'hangs')
    await following()
    expect(fleet.open).toBe(4)
  })
})
