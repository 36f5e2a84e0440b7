import { describe, expect, it } from 'vitest'
import type { Caller } from '../../../../http/identity/caller.js'
import { InstanceAccess } from '../../../../http/proxy/index/access.js'
import { requestInfo } from '../../../../http/proxy/route/request-info.js'
import { type KubeApi, type KubeRequest, UnreachableError } from '../../../../ports/kube-api.js'
import { refusal } from '../../fakes/host.js'

interface Attributes {
  readonly verb: string
  readonly resource: string
  readonly namespace?: string
  readonly name?: string
}

/** What a rule of RBAC says, bound to everybody: of all namespaces, all names where it does not say. */
type Rule = Attributes

const maps = '/api/v1/namespaces/a/configmaps'
const ann: Caller = { user: 'ann', groups: ['team'], extra: {} }

/** An instance under these rules, which a test may change, and what was asked of it. */
function instance(...rules: Rule[]) {
  return instanceWith({}, ...rules)
}

function instanceWith(options: { graceMs?: number }, ...rules: Rule[]) {
  const asked: Attributes[] = []
  const state: { away?: Error } = {}
  const api = {
    request: async ({ body }: { body: { spec: { resourceAttributes: Attributes } } }) => {
      if (state.away) throw state.away
      const { resourceAttributes: of } = body.spec
      asked.push(of)
      const allowed = rules.some(
        ({ verb, resource, namespace, name }) =>
          verb === of.verb &&
          resource === of.resource &&
          (namespace === undefined || namespace === of.namespace) &&
          (name === undefined || name === of.name),
      )
      return { status: { allowed } }
    },
  } as unknown as KubeApi
  let now = 0
  const rights = { revision: 'r1', unchangedForMs: 60_000 }
  const access = new InstanceAccess(() => now, options)
  return {
    rules,
    rights,
    state,
    asked,
    later: (ms: number) => {
      now += ms
    },
    verdict: (path: string) => access.verdict('uid', api, ann, requestInfo('GET', path), () => rights),
    /** Reads one after the other. */
    async reads(paths: readonly string[], caller = ann, uid = 'uid') {
      const verdicts: boolean[] = []
      for (const path of paths)
        verdicts.push(
          (await access.verdict(uid, api, caller, requestInfo('GET', path), () => rights)).allowed,
        )
      return verdicts
    },
  }
}

const get = { verb: 'get', resource: 'configmaps' }
const list = { verb: 'list', resource: 'configmaps' }
const thousand = Array.from({ length: 1_000 }, (_, index) => `${maps}/m-${index}`)

describe('access reviews for index reads', () => {
  it.each<[string, readonly Rule[], readonly string[], (path: string) => boolean, number]>([
    ['a thousand objects, all allowed', [{ ...get, namespace: 'a' }], thousand, () => true, 1],
    [
      'the same object, allowed by name',
      [{ ...get, name: 'm-1' }],
      Array(9).fill(`${maps}/m-1`),
      () => true,
      2,
    ],
    [
      'a thousand objects, two of them allowed by name',
      [
        { ...get, name: 'm-1' },
        { ...get, name: 'm-7' },
      ],
      thousand,
      path => /m-[17]$/.test(path),
      1_001,
    ],
    ['the same object, refused', [], Array(9).fill(`${maps}/m-1`), () => false, 10],
    ['lists of a namespace', [{ ...list, namespace: 'a' }], Array(9).fill(maps), () => true, 1],
    ['lists of a namespace, refused', [get], Array(9).fill(maps), () => false, 9],
    [
      'lists of all namespaces, of which one is allowed',
      [{ ...list, namespace: 'a' }],
      ['/api/v1/configmaps'],
      () => false,
      1,
    ],
    ['objects of two namespaces', [get], [`${maps}/x`, '/api/v1/namespaces/b/configmaps/x'], () => true, 2],
    ['a list and an object', [get, list], [maps, `${maps}/x`], () => true, 2],
  ])('of %s', async (_, rules, paths, allowed, reviews) => {
    const { reads, asked } = instance(...rules)
    expect(await reads(paths)).toEqual(paths.map(allowed))
    expect(asked).toHaveLength(reviews)
  })

  it('ask for one name after all names were denied, and return the denial for the object', async () => {
    const { reads, asked } = instance({ ...get, name: 'a:b' })
    expect(await reads([`${maps}/a%3Ab`])).toEqual([true])
    const all = { group: '', version: 'v1', resource: 'configmaps', namespace: 'a', verb: 'get' }
    expect(asked).toEqual([all, { ...all, name: 'a:b' }])
  })

  it('are separate for each caller and instance', async () => {
    const { reads, asked } = instance(get)
    await reads([`${maps}/x`])
    await reads([`${maps}/x`], { ...ann, groups: ['other'] })
    await reads([`${maps}/x`], ann, 'another')
    expect(asked).toHaveLength(3)
  })

  it('are cached for ten seconds when they allow; a grant takes effect at once after a denial', async () => {
    const { reads, asked, rules, later } = instance({ ...get, name: 'x' })
    expect(await reads([`${maps}/x`, `${maps}/y`])).toEqual([true, false])
    rules[0] = get
    expect(await reads([`${maps}/y`])).toEqual([true])
    expect(asked.map(({ name }) => name)).toEqual([undefined, 'x', 'y', 'y'])
    later(10_000)
    expect(await reads([`${maps}/x`, `${maps}/y`])).toEqual([true, true])
    rules.pop()
    later(9_999)
    expect(await reads([`${maps}/z`])).toEqual([true])
    later(1)
    expect(await reads([`${maps}/z`])).toEqual([false])
    expect(asked).toHaveLength(7)
  })
})

describe('the last review of an unreachable instance', () => {
  const away = new UnreachableError('connect ECONNREFUSED', 'ECONNREFUSED')

  it('is used for five minutes, allowed or denied', async () => {
    const { reads, state, later } = instance({ ...get, name: 'x' })
    expect(await reads([`${maps}/x`, `${maps}/y`])).toEqual([true, false])
    state.away = away
    later(299_999)
    expect(await reads([`${maps}/x`])).toEqual([true])
    await expect(reads([`${maps}/z`])).rejects.toBe(away)
    later(1)
    await expect(reads([`${maps}/x`])).rejects.toBe(away)
  })

  it('counts without a time limit when it is a denial, also after role bindings changed', async () => {
    const { verdict, rights, state, later } = instance()
    expect(await verdict(maps)).toEqual({ allowed: false, old: false })
    state.away = away
    rights.revision = 'r2'
    later(3_600_000)
    expect(await verdict(maps)).toEqual({ allowed: false, old: true })
  })

  it('is marked as old', async () => {
    const { verdict, state, later } = instance(list)
    expect(await verdict(maps)).toEqual({ allowed: true, old: false })
    state.away = away
    later(9_999)
    expect(await verdict(maps)).toEqual({ allowed: true, old: false })
    later(1)
    expect(await verdict(maps)).toEqual({ allowed: true, old: true })
  })

  it('is used for as long as the settings say', async () => {
    for (const [graceMs, counts] of [
      [0, false],
      [60_000, true],
    ] as const) {
      const { verdict, state, later } = instanceWith({ graceMs }, list)
      await verdict(maps)
      state.away = away
      later(10_000)
      if (counts) expect(await verdict(maps)).toMatchObject({ allowed: true })
      else await expect(verdict(maps)).rejects.toBe(away)
    }
  })

  it('is dropped when a role binding has changed, also just before it', async () => {
    for (const change of ['before', 'after']) {
      const { verdict, rights, state, later } = instance(list)
      if (change === 'before') rights.unchangedForMs = 29_999
      await verdict(maps)
      if (change === 'after') rights.revision = 'r2'
      state.away = away
      later(change === 'before' ? 10_000 : 1)
      await expect(verdict(maps)).rejects.toBe(away)
    }
  })

  it('does not override the instance’s own answer', async () => {
    const { verdict, state, later, rules } = instance(list)
    await verdict(maps)
    rules.pop()
    later(10_000)
    expect(await verdict(maps)).toEqual({ allowed: false, old: false })
    state.away = away
    later(10_000)
    expect(await verdict(maps)).toMatchObject({ allowed: false })
  })

  it('is not used when the instance answers that Kairship may not review', async () => {
    const { verdict, state, later } = instance(list)
    await verdict(maps)
    state.away = refusal(403, 'Forbidden', 'no')
    later(10_000)
    await expect(verdict(maps)).rejects.toThrow('no')
    state.away = away
    await expect(verdict(maps)).rejects.toBe(away)
  })
})

const reviewedWith = (status: object | undefined) => {
  const api = { request: async () => ({ status }) } as unknown as KubeApi
  const rights = { revision: 'r1', unchangedForMs: 60_000 }
  return new InstanceAccess(() => 0).verdict('uid', api, ann, requestInfo('GET', `${maps}/one`), () => rights)
}

it.each([{ allowed: true, denied: true }, { denied: false }])(
  'a review with the status %j denies',
  async status => {
    expect((await reviewedWith(status)).allowed).toBe(false)
  },
)

it.each([{ allowed: 'true' }, undefined])('an answer with the status %j is no review', async status => {
  await expect(async () => reviewedWith(status)).rejects.toThrow('no review')
})

it.each([
  ['ann', ['team'], ['team', 'system:authenticated']],
  ['ann', ['system:authenticated'], ['system:authenticated']],
  ['system:anonymous', ['system:unauthenticated'], ['system:unauthenticated']],
])(
  'a review of %s with groups %j names the groups that the instance sees when she is impersonated',
  async (user, groups, asked) => {
    const requests: KubeRequest[] = []
    const api = {
      request: async (request: KubeRequest) => {
        requests.push(request)
        return { status: { allowed: true } }
      },
    } as unknown as KubeApi
    const rights = { revision: 'r1', unchangedForMs: 60_000 }
    const access = new InstanceAccess(() => 0)
    await access.verdict('uid', api, { user, groups, extra: {} }, requestInfo('GET', maps), () => rights)
    expect(requests).toMatchObject([{ body: { spec: { user, groups: asked } }, timeoutMs: 3_000 }])
  },
)
