import { describe, expect, it } from 'vitest'
import type { Listing } from '../../../../http/objects/list/listing.js'
import { inOwnNamespaces } from '../../../../http/objects/list/own-namespaces.js'
import type { ListQuery } from '../../../../http/objects/list-query.js'
import type { ObjectType } from '../../../../http/objects/object-type.js'
import type { KubeObject } from '../../../../manifests/kube.js'
import { fakeFleet, viewOf } from '../../fakes/fleet.js'
import { CONFIG_MAPS } from '../listed-world.js'

const NAMESPACES: ObjectType = {
  ...{ group: '', version: 'v1', resource: 'namespaces' },
  ...{ kind: 'Namespace', namespaced: false },
}
const NODES = { ...NAMESPACES, resource: 'nodes', kind: 'Node' }
const OTHER_NAMESPACES = { ...NAMESPACES, group: 'example.com' }
const ann = () => ({ user: 'ann', groups: [], extra: {} })

interface Asked {
  readonly verb: string
  readonly resource: { readonly resource: string; readonly namespace?: string; readonly name?: string }
}

/** The namespaces that a list of a caller with a role on `a`, `b` and `c` is over; what the instance answers is up to the test. */
async function listed(
  answer: (asked: Asked) => boolean,
  {
    type = CONFIG_MAPS,
    query = {},
    cluster,
    silentForMs = 0,
    hostGraceMs,
  }: {
    type?: ObjectType
    query?: Partial<ListQuery>
    cluster?: string
    silentForMs?: number
    hostGraceMs?: number
  } = {},
) {
  const fleet = fakeFleet(viewOf('north'))
  const namespaces = ['c', 'a', 'b']
  fleet.roleBindings.give('b', 'Viewer', {
    ...{ instance: 'north', subject: { kind: 'User', name: 'ann' }, namespaces },
  })
  fleet.roleBindings.silentForMs = silentForMs
  fleet.connections.set('north', { upstream: {} } as never)
  const asked: string[] = []
  const verdictOfAll = async (...[, , , read]: readonly [string, unknown, unknown, Asked]) => {
    const { namespace, name } = read.resource
    asked.push([read.verb, namespace, name].filter(Boolean).join(' '))
    return { allowed: answer(read), old: false }
  }
  const parts = {
    fleet: Object.create(fleet, { index: { value: () => undefined } }),
    circuits: { guard: (_: string, upstream: unknown) => upstream },
    access: { verdictOfAll },
    hostGraceMs,
  }
  const found = await inOwnNamespaces({
    requests: { options: { parts } },
    call: { caller: ann() },
    place: { instance: 'north', ...(cluster !== undefined && { cluster }) },
    ...{ type, query: { page: 1, pageSize: 20, ...query } },
  } as unknown as Listing<KubeObject>)
  return { namespaces: found.namespaces, asked, query: found }
}

const inOne = ({ resource: { namespace } }: Asked) => namespace !== undefined
const away = () => {
  throw new Error('connect ECONNREFUSED')
}

describe('a list over all namespaces', () => {
  it('is over those of the caller’s roles that the instance lets it list', async () => {
    const { namespaces, asked } = await listed(({ resource: { namespace } }) =>
      'ac'.includes(namespace ?? '-'),
    )
    expect(namespaces).toEqual(['a', 'c'])
    expect(asked).toEqual(['list', 'list a', 'list b', 'list c'])
  })

  it('of namespaces is over those that the instance lets it get', async () => {
    const { namespaces, asked } = await listed(inOne, { type: NAMESPACES })
    expect(namespaces).toEqual(['a', 'b', 'c'])
    expect(asked).toEqual(['list', 'get a a', 'get b b', 'get c c'])
  })

  it('is as it was asked for where the instance does not say no to it', async () => {
    const { namespaces, asked } = await listed(away)
    expect([namespaces, asked]).toEqual([undefined, ['list']])
    expect((await listed(() => true)).asked).toEqual(['list'])
  })

  it('leaves no namespace out of which the instance did not say no', async () => {
    const answer = (asked: Asked) =>
      asked.resource.namespace === 'b' ? away() : asked.resource.namespace === 'a'
    expect((await listed(answer)).namespaces).toEqual(['a', 'b'])
  })

  it('is as it was asked for, to be refused, where it may be read in no namespace', async () => {
    expect((await listed(() => false)).namespaces).toBeUndefined()
  })

  it.each<[string, Parameters<typeof listed>[1]]>([
    ['a member', { cluster: 'm1' }],
    ['one namespace', { query: { namespace: 'a' } }],
    ['what is in no namespace', { type: NODES }],
    ['what another group calls namespaces', { type: OTHER_NAMESPACES }],
    ['namespaces that labels select', { type: NAMESPACES, query: { labelSelector: 'a=b' } }],
    ['namespaces that fields select', { type: NAMESPACES, query: { fieldSelector: 'metadata.name=a' } }],
  ])('is none that is of %s: nothing is asked, and nothing changed', async (_, options) => {
    const { namespaces, asked } = await listed(inOne, options)
    expect([namespaces, asked]).toEqual([undefined, []])
  })

  it('is over them for as long as role bindings count while the host is silent, and no longer', async () => {
    const hostGraceMs = 600_000
    const during = await listed(inOne, { hostGraceMs, silentForMs: hostGraceMs })
    expect(during.namespaces).toEqual(['a', 'b', 'c'])
    expect((await listed(inOne, { hostGraceMs, silentForMs: hostGraceMs + 1 })).namespaces).toBeUndefined()
  })

  it('of objects keeps what selects them', async () => {
    const query = { labelSelector: 'a=b', fieldSelector: 'metadata.name=a', mostOfIndex: 5 }
    const found = await listed(inOne, { query })
    expect(found.query).toEqual({
      ...{ page: 1, pageSize: 20, labelSelector: 'a=b', fieldSelector: 'metadata.name=a' },
      namespaces: ['a', 'b', 'c'],
    })
  })
})
