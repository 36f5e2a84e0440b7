import { describe, expect, it } from 'vitest'
import type { OwnReads } from '../../../../http/objects/requests/own-requests.js'
import { type BoundSubjects, binds, boundNamespaces } from '../../../../http/rpc/core/bound-namespaces.js'
import type { Subject } from '../../../../manifests/instance-role-binding.js'
import { aloneAnswers } from '../../fakes/answers.js'

const binding = (namespace: string, ...subjects: Subject[]): BoundSubjects => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'RoleBinding',
  metadata: { name: 'team', namespace },
  subjects,
})
const caller = (user: string, ...groups: string[]) => ({ user, groups, extra: {} })
const call = (user: string, ...groups: string[]) => ({
  caller: caller(user, ...groups),
  signal: new AbortController().signal,
  answers: aloneAnswers(),
  answered: () => undefined,
})

describe('a role binding', () => {
  it.each([
    ['the user', { kind: 'User', name: 'ann' }, caller('ann'), true],
    ['another user', { kind: 'User', name: 'bob' }, caller('ann'), false],
    ['a group of the user', { kind: 'Group', name: 'blue' }, caller('ann', 'blue'), true],
    ['a group that is called as the user', { kind: 'Group', name: 'ann' }, caller('ann'), false],
    ['everybody', { kind: 'Group', name: 'system:authenticated' }, caller('ann'), true],
    [
      'an account',
      { kind: 'ServiceAccount', name: 'ci', namespace: 'tools' },
      caller('system:serviceaccount:tools:ci'),
      true,
    ],
    [
      'an account of its own namespace',
      { kind: 'ServiceAccount', name: 'ci' },
      caller('system:serviceaccount:shop:ci'),
      true,
    ],
    ['an account that is called as the user', { kind: 'ServiceAccount', name: 'ann' }, caller('ann'), false],
  ] as const)('matches a caller by %s', (_, subject, who, expected) => {
    expect(binds(binding('shop', subject), who)).toBe(expected)
  })

  it('without subjects matches no user', () => {
    const { subjects: _, ...empty } = binding('shop')
    expect(binds(empty, caller('ann'))).toBe(false)
  })
})

describe('the namespaces of a caller', () => {
  const pages: Record<string, { items: BoundSubjects[]; next?: string }> = {
    '': {
      items: [
        binding('shop', { kind: 'User', name: 'ann' }),
        binding('bank', { kind: 'Group', name: 'blue' }),
        binding('secret', { kind: 'User', name: 'bob' }),
      ],
      next: 'second',
    },
    second: { items: [binding('shop', { kind: 'Group', name: 'blue' })] },
  }
  const read = (user: string, ...groups: string[]) => {
    const requests: unknown[] = []
    const reads: OwnReads = {
      get: async (_, instance, { path, query }) => {
        requests.push(`${instance} ${path}`)
        const { items, next } = pages[String(query?.continue ?? '')]!
        return { items, metadata: next ? { continue: next } : {} } as never
      },
    }
    return { requests, found: boundNamespaces(reads, 'eu-west', call(user, ...groups)) }
  }

  it('are those with a role bound to the caller, once each, sorted, from all pages', async () => {
    const { found, requests } = read('ann', 'blue')
    expect(await found).toEqual(['bank', 'shop'])
    const page = 'eu-west /apis/rbac.authorization.k8s.io/v1/rolebindings'
    expect(requests).toEqual([page, page])
  })

  it('are empty where no role is bound to it', async () => {
    expect(await read('carl').found).toEqual([])
  })

  it('are unknown where the list of role bindings has no end', async () => {
    let pages = 0
    const get: OwnReads['get'] = async () => {
      pages += 1
      return { items: [], metadata: { continue: String(pages) } } as never
    }
    await expect(boundNamespaces({ get }, 'eu-west', call('ann'))).rejects.toThrow(
      'the list of role bindings of instance eu-west has no end',
    )
    expect(pages).toBe(100)
  })

  it('are those of the bindings that have subjects, where others have null', async () => {
    const items = [{ ...binding('bank'), subjects: null }, binding('shop', { kind: 'User', name: 'ann' })]
    const get: OwnReads['get'] = async () => ({ items }) as never
    expect(await boundNamespaces({ get }, 'eu-west', call('ann'))).toEqual(['shop'])
  })

  it.each<unknown>([
    undefined,
    'ok',
    { items: null },
    { kind: 'Status' },
    { items: [null] },
    { items: [{}] },
    { items: [{ metadata: null }] },
    { items: [{ metadata: {}, subjects: {} }] },
    { items: [{ metadata: {}, subjects: [null] }] },
  ])('are unknown where the instance answers %j', async answer => {
    const asked = boundNamespaces({ get: async () => answer as never }, 'eu-west', call('ann'))
    await expect(asked).rejects.toThrow(
      'instance eu-west answered a list of role bindings with what is no list',
    )
  })
})
