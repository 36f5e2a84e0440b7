import { create } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import type { Call } from '../../../../http/call/call.js'
import { StoredLocks } from '../../../../http/rpc/access-lock/access-locks.js'
import { accessLockHandlers } from '../../../../http/rpc/access-lock/handlers.js'
import { appliedLock } from '../../../../manifests/access-lock.js'
import { bareStatus, StatusError } from '../../../../manifests/status-error.js'
import type { KubeRequest, WatchEvent } from '../../../../ports/kube-api.js'
import {
  CreateAccessLockRequestSchema,
  DeleteAccessLockRequestSchema,
  ListAccessLocksRequestSchema,
  WatchAccessLocksRequestSchema,
} from '../../../../proto/gen/kairship/accesslock_pb.js'
import { ListChange_Type as Type } from '../../../../proto/gen/kairship/types_pb.js'

const lock = (name: string, spec: object, resourceVersion = '1') => ({
  metadata: { name, uid: name, resourceVersion },
  spec,
})
const LOCKS = [
  lock('of-bob', { user: 'bob' }),
  lock('names-nobody', { message: 'x' }),
  lock('of-ann', { user: 'ann', instance: 'north' }),
]

/** The handlers over a host with these locks, for callers with rights that the test may take away. */
function serving({
  items = LOCKS as readonly object[],
  changes = [] as readonly WatchEvent[],
  refusal = undefined as StatusError | undefined,
} = {}) {
  const rights = new Set(['list', 'watch'])
  const sent: KubeRequest[] = []
  const about: unknown[] = []
  const host = {
    request: async <T>(request: KubeRequest): Promise<T> => {
      sent.push(request)
      if (refusal) throw refusal
      if (request.method === 'POST') return { metadata: { name: 'lock-x7' }, spec: { user: 'bob' } } as T
      return { metadata: { resourceVersion: '5' }, items } as T
    },
    async *watch(): AsyncGenerator<WatchEvent> {
      yield* changes
      await new Promise(() => undefined)
    },
  }
  const handlers = accessLockHandlers({
    locks: new StoredLocks(host as never),
    known: { all: () => items.flatMap(item => appliedLock(item as never) ?? []) },
    authorizer: {
      decide: (_, action) => ({ allowed: 'resource' in action && rights.has(action.verb), reason: '' }),
    },
  })
  const call = (user = 'ann') =>
    ({
      caller: { user, groups: [], extra: {} },
      signal: new AbortController().signal,
      about: (part: unknown) => about.push(part),
    }) as unknown as Call
  const list = async (request: object = {}) => {
    const { items: found = [] } = await handlers.listAccessLocks(
      create(ListAccessLocksRequestSchema, request),
      call(),
    )
    return found.map(({ name }) => name)
  }
  const watch = async (request: object = {}, user?: string) =>
    handlers.watchAccessLocks(create(WatchAccessLocksRequestSchema, request), call(user))
  return { handlers, rights, sent, about, call, list, watch }
}

describe('locks', () => {
  it('are listed by name, and without those that refuse nobody', async () => {
    expect(await serving().list()).toEqual(['of-ann', 'of-bob'])
  })

  it.each([
    [{ user: 'bob' }, ['of-bob']],
    [{ user: 'ann', instance: 'north' }, ['of-ann']],
    [{ user: 'bob', instance: 'north' }, []],
    [{ group: 'ops' }, []],
    [{ tokenId: 'seven' }, []],
  ])('are chosen by all that the request names: %j', async (request, expected) => {
    expect(await serving().list(request)).toEqual(expected)
  })

  it('are refused with what to do on a host that has no such type', async () => {
    const refused = serving({ refusal: new StatusError(bareStatus(404, 'page not found')) }).list()
    await expect(refused).rejects.toMatchObject({
      ...{ code: 9, message: 'the host has no AccessLocks: apply manifests/crds to it' },
    })
  })

  it('are named in the audit record as the host named them', async () => {
    const { handlers, about, call } = serving()
    await handlers.createAccessLock(create(CreateAccessLockRequestSchema, { user: 'bob' }), call())
    expect(about.at(-1)).toEqual({ name: 'lock-x7' })
  })

  it('name in the audit record whom they are for, also when the host refuses them', async () => {
    const { handlers, about, call } = serving({ refusal: new StatusError(bareStatus(409, 'there already')) })
    const request = { user: 'bob', instance: 'eu', message: 'call us', expiresAt: 4_102_444_800_000n }
    const created = handlers.createAccessLock(create(CreateAccessLockRequestSchema, request), call())
    await expect(created).rejects.toThrow('there already')
    expect(about).toEqual([
      { details: { user: 'bob', instance: 'eu', expiresAt: '2100-01-01T00:00:00.000Z', reason: 'call us' } },
    ])
  })

  it('name it when they are lifted, too, as far as this replica has seen them', async () => {
    const { handlers, about, call } = serving()
    for (const name of ['of-ann', 'of-nobody-seen'])
      await handlers.deleteAccessLock(create(DeleteAccessLockRequestSchema, { name }), call())
    expect(about).toEqual([{ details: { user: 'ann', instance: 'north' } }])
  })
})

describe('a watch of locks', () => {
  const added = (name: string, spec: object): WatchEvent => ({
    type: 'ADDED',
    object: lock(name, spec, '6') as never,
  })

  it.each(['list', 'watch'])('is refused without the right to %s, and reads nothing', async verb => {
    const { rights, sent, watch } = serving()
    rights.delete(verb)
    const read = async () => {
      for await (const _ of await watch()) throw new Error('a message')
    }
    await expect(read()).rejects.toMatchObject({ code: 7 })
    expect(sent).toEqual([])
  })

  it.each(['list', 'watch'])('ends with a refusal after the right to %s is gone', async verb => {
    const { rights, watch } = serving({ changes: [added('of-eve', { user: 'eve' })] })
    const seen: unknown[] = []
    const read = async () => {
      for await (const { type, lock } of await watch()) {
        seen.push([type, lock?.name])
        if (type === Type.BOOKMARK) rights.delete(verb)
      }
    }
    await expect(read()).rejects.toMatchObject({ code: 7 })
    expect(seen).toEqual([
      [Type.RESET, undefined],
      [Type.ADDED, 'of-ann'],
      [Type.ADDED, 'of-bob'],
      [Type.BOOKMARK, undefined],
    ])
  })

  it('shows those alone that it asks for', async () => {
    const changes = [added('of-carl', { user: 'carl' }), added('more-of-bob', { user: 'bob', instance: 'x' })]
    const seen: unknown[] = []
    for await (const { type, lock } of await serving({ changes }).watch({ user: 'bob' })) {
      seen.push([type, lock?.name])
      if (seen.length === 4) break
    }
    expect(seen.slice(1)).toEqual([
      [Type.ADDED, 'of-bob'],
      [Type.BOOKMARK, undefined],
      [Type.ADDED, 'more-of-bob'],
    ])
  })

  it('is resumed by its own caller alone', async () => {
    const { watch } = serving()
    let resumeToken = ''
    for await (const message of await watch()) {
      resumeToken = message.resumeToken ?? ''
      if (message.type === Type.BOOKMARK) break
    }
    const first = async (user: string) => {
      for await (const { type } of await watch({ resumeToken }, user)) return type
      return undefined
    }
    expect(await first('ann')).toBe(Type.BOOKMARK)
    expect(await first('eve')).toBe(Type.RESET)
  })
})
