import { create } from '@bufbuild/protobuf'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Call } from '../../../../http/call/call.js'
import { type FeedEvent, InstanceFeed } from '../../../../http/instances/instance-feed.js'
import { watchBoundInstances } from '../../../../http/rpc/workspace/watch-instances.js'
import { Workspaces } from '../../../../http/rpc/workspace/workspaces.js'
import type { InstanceView } from '../../../../ports/fleet.js'
import { ListChange_Type as Type } from '../../../../proto/gen/kairship/types_pb.js'
import { WatchInstancesRequestSchema } from '../../../../proto/gen/kairship/workspace_pb.js'
import { fakeFleet, viewOf } from '../../fakes/fleet.js'
import { FollowedHost } from './followed-host.js'

/** A bit more than the time after which rights are asked for again, and than that after which refused instances are. */
const [CHECKED, ASKED_AGAIN] = [31_000, 330_000]
const ALL = ['list', 'watch']

let host: FollowedHost
let fleet: ReturnType<typeof fakeFleet>
let feed: InstanceFeed
let rights: Set<string>
let over: AbortController
let decisions: number
const soon = (milliseconds = 0) => vi.advanceTimersByTimeAsync(milliseconds)

beforeEach(() => {
  vi.useFakeTimers()
  host = new FollowedHost()
  fleet = fakeFleet(viewOf('north'), viewOf('south'))
  feed = new InstanceFeed()
  over = new AbortController()
  decisions = 0
  rights = new Set(ALL)
  void feed.follow(fleet, over.signal)
})
afterEach(async () => {
  over.abort(new Error('over'))
  await soon()
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

/** The host forgets all versions that tokens name. */
function forget(): void {
  host.workspace('passing', 9)
  host.compact()
}

/** As after a restart of Kairship. */
function anotherFeed(): void {
  feed = new InstanceFeed()
  void feed.follow(fleet, over.signal)
}

/** Follows the instances. `news` has what came since it was last called; `token` is the last that came. */
async function following(request: { instance?: string; resumeToken?: string } = {}, user = 'ann') {
  const messages: unknown[][] = []
  const tokens: string[] = []
  let waited = false
  const handler = watchBoundInstances({
    workspaces: new Workspaces(host),
    instances: {
      upToDate: async () => {
        waited = true
      },
    },
    feed,
    authorizer: {
      decide: (_, action) => {
        decisions += 1
        const isInstances = 'resource' in action && action.resource === 'instances'
        const allowed = isInstances && rights.has(action.name ? `${action.verb} ${action.name}` : action.verb)
        return { allowed, reason: '' }
      },
    },
  })
  const call = {
    caller: { user, groups: [], extra: {} },
    signal: over.signal,
    isOpen: () => true,
  } as unknown as Call
  const read = async () => {
    for await (const { type, total, instance, resumeToken } of await handler(
      create(WatchInstancesRequestSchema, request),
      call,
    )) {
      const { workspace: { workspace = '', workspaceId = 0 } = {} } = instance ?? {}
      const row = instance ? [instance.instance, `${workspace}:${workspaceId}`] : []
      messages.push([Type[type as Type], total, ...row])
      tokens.push(resumeToken ?? '')
    }
  }
  const ended = read().catch((error: unknown) => error)
  await soon()
  expect(waited).toBe(true)
  return { ended, tokens, token: () => tokens.at(-1) ?? '', news: () => messages.splice(0) }
}

const START = [
  ['RESET', 0],
  ['ADDED', 1, 'north', ':0'],
  ['ADDED', 2, 'south', ':0'],
  ['BOOKMARK', 2],
]
const other = (view: InstanceView): InstanceView => ({
  ...view,
  instance: { ...view.instance, metadata: { ...view.instance.metadata, uid: `another ${view.name}` } },
})

describe('a watch of instances with their workspaces', () => {
  it('has each instance once all lists were read, with its workspace, and a token after the last alone', async () => {
    host.workspace('shop', 2)
    host.bind({ instance: 'south' }, 'shop')
    host.bind({ instance: 'south', namespace: 'x' }, 'platform')
    const { news, tokens } = await following()
    expect(news()).toEqual([...START.slice(0, 2), ['ADDED', 2, 'south', 'shop:2'], ['BOOKMARK', 2]])
    expect(tokens.map(one => one !== '')).toEqual([false, false, false, true])
  })

  it('begins with what the fleet shows already, also where the feed is still to record it', async () => {
    fleet.set(viewOf('west'))
    const { news } = await following()
    expect(news()).toEqual([...START.slice(0, 3), ['ADDED', 3, 'west', ':0'], ['BOOKMARK', 3]])
  })

  it('sends what becomes of instances, bindings and workspaces, and nothing of a change that shows nowhere', async () => {
    const { news } = await following()
    expect(news()).toEqual(START)
    decisions = 0
    fleet.set(viewOf('north', 'degraded'))
    host.workspace('shop', 2)
    host.bind({ instance: 'elsewhere' }, 'shop')
    await soon()
    expect(news()).toEqual([])
    expect(decisions).toBe(0)
    host.bind({ instance: 'north' }, 'shop')
    await soon()
    host.workspace('shop', 3)
    await soon()
    fleet.set(viewOf('west'))
    await soon()
    fleet.delete('north')
    await soon()
    host.release({ instance: 'north' })
    await soon()
    expect(news()).toEqual([
      ['MODIFIED', 2, 'north', 'shop:2'],
      ['MODIFIED', 2, 'north', 'shop:3'],
      ['ADDED', 3, 'west', ':0'],
      ['DELETED', 2, 'north', 'shop:3'],
    ])
  })

  it('has the one instance that the request names, and nothing of others', async () => {
    fleet.set(viewOf('northern'))
    const { news } = await following({ instance: 'north' })
    expect(news()).toEqual([...START.slice(0, 2), ['BOOKMARK', 1]])
    fleet.delete('south')
    host.bind({ instance: 'south' }, 'shop')
    fleet.set(viewOf('south'))
    await soon()
    expect(news()).toEqual([])
    fleet.delete('north')
    await soon()
    expect(news()).toEqual([['DELETED', 0, 'north', ':0']])
  })
})

describe('the rights of a caller who follows instances', () => {
  it.each([
    ['all with list and watch', ALL, ['north', 'south']],
    ['none with list alone', ['list'], []],
    ['none with watch alone', ['watch'], []],
    ['those that it may get', ['get south'], ['south']],
  ])('show %s', async (_, granted, names) => {
    rights = new Set(granted)
    const shown = (await following()).news().flatMap(([type, , name]) => (type === 'ADDED' ? [name] : []))
    expect(shown).toEqual(names)
  })

  it('are asked for at each change of an instance, and of all from time to time', async () => {
    const { news } = await following()
    news()
    rights = new Set(['get north'])
    host.bind({ instance: 'south' }, 'shop')
    await soon()
    expect(news()).toEqual([['DELETED', 1, 'south', ':0']])
    rights = new Set()
    await soon(CHECKED)
    expect(news()).toEqual([['DELETED', 0, 'north', ':0']])
    rights = new Set(ALL)
    await soon(ASKED_AGAIN)
    expect(news().map(([type, total, name]) => [type, total, name])).toEqual([
      ['ADDED', 1, 'north'],
      ['ADDED', 2, 'south'],
    ])
  })

  it('are asked for at once of an instance that was made anew under its name', async () => {
    rights = new Set()
    const { news } = await following()
    news()
    rights = new Set(['get north'])
    fleet.set(other(viewOf('north')))
    await soon()
    expect(news()).toEqual([['ADDED', 1, 'north', ':0']])
  })
})

describe('the token of a watch of instances', () => {
  it('goes on with what has changed since: instances, bindings and workspaces', async () => {
    host.workspace('shop', 2)
    host.bind({ instance: 'south' }, 'shop')
    const first = await following()
    fleet.delete('north')
    host.workspace('shop', 3)
    fleet.set(viewOf('west'))
    await soon()
    first.news()
    const read = vi.spyOn(feed, 'read')
    const begun = await following({ resumeToken: first.tokens[3] ?? '' })
    const news = begun.news()
    expect(news[0]).toEqual(['BOOKMARK', 2])
    const position = first.tokens[3]?.split('.').slice(0, 2).join('.')
    expect(read.mock.calls.map(([token]) => token)).toEqual([position])
    expect(news.map(([type, , name, workspace]) => [type, name, workspace]).sort()).toEqual([
      ['ADDED', 'west', ':0'],
      ['BOOKMARK', undefined, undefined],
      ['DELETED', 'north', ':0'],
      ['MODIFIED', 'south', 'shop:3'],
    ])
    expect((await following({ resumeToken: first.token() })).news()).toEqual([['BOOKMARK', 2]])
  })

  it('is sent after a while in which nothing that is shown has changed, and once', async () => {
    const { news, tokens, token } = await following({ instance: 'north' })
    news()
    const before = token()
    await soon(CHECKED)
    expect(news()).toEqual([])
    fleet.set(viewOf('south', 'degraded'))
    await soon(CHECKED)
    expect(news()).toEqual([['BOOKMARK', 1]])
    expect(token()).not.toBe(before)
    await soon(CHECKED)
    expect(news()).toEqual([])
    expect(tokens.at(-1)).not.toBe('')
    expect((await following({ instance: 'north', resumeToken: token() })).news()).toEqual([['BOOKMARK', 1]])
  })

  it.each([
    ['of another caller', {}, 'bob', undefined],
    ['of rows that it no longer shows', {}, 'ann', () => rights.delete('list')],
    [
      'of bindings that the host has forgotten',
      {},
      'ann',
      () => [forget(), host.bind({ instance: 'north' }, 'shop')],
    ],
    ['of instances that the feed has forgotten', {}, 'ann', () => [anotherFeed(), fleet.delete('north')]],
  ])('starts over where it is %s', async (_, request, user, before) => {
    const { token } = await following()
    before?.()
    const { news } = await following({ ...request, resumeToken: token() }, user)
    expect(news()[0]).toEqual(['RESET', 0])
  })

  it('starts over where it is of another request that shows the same', async () => {
    fleet.delete('south')
    const { token } = await following()
    expect((await following({ resumeToken: token() })).news()).toEqual([['BOOKMARK', 1]])
    const { news } = await following({ instance: 'north', resumeToken: token() })
    expect(news()).toEqual([...START.slice(0, 2), ['BOOKMARK', 1]])
  })

  it('starts over with the instances by name, in whatever order they came', async () => {
    const { token } = await following()
    fleet.delete('north')
    fleet.set(viewOf('north'))
    rights = new Set(['get north', 'get south', 'list'])
    host.bind({ instance: 'south' }, 'shop')
    forget()
    const { news } = await following({ resumeToken: token() })
    expect(
      news()
        .slice(0, 3)
        .map(([, , name]) => name),
    ).toEqual([undefined, 'north', 'south'])
  })

  it('is empty while the feed starts over', async () => {
    const all = [viewOf('north')].map(view => ({ type: 'ADDED' as const, view, token: '' }))
    const start: FeedEvent[] = [{ type: 'RESET', token: '' }, ...all, { type: 'BOOKMARK', token: 'ab.1' }]
    feed = {
      settled: async () => undefined,
      async *read(_: string, signal: AbortSignal) {
        yield* [...start, ...start.slice(0, 1)]
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      },
    } as unknown as InstanceFeed
    const { news, tokens } = await following()
    news()
    await soon(CHECKED)
    expect(news()).toEqual([['BOOKMARK', 1]])
    expect(tokens.slice(-2)).toEqual([expect.stringMatching(/^ab\.1\./), ''])
  })

  it('goes on where the lists behind it are forgotten and the rows are the same', async () => {
    const { token } = await following()
    forget()
    anotherFeed()
    expect((await following({ resumeToken: token() })).news()).toEqual([['BOOKMARK', 2]])
  })

  it.each([
    ['a text', 'mine'],
    ['a token cut off', ''],
  ])('is refused where it is %s', async (_, text) => {
    const { token } = await following()
    const { ended } = await following({ resumeToken: text || token().slice(0, -8) })
    expect(await ended).toMatchObject({ code: 3 })
  })
})
