import { describe, expect, it } from 'vitest'
import { type BoundSubjects, binds, boundNamespaces } from '../../../../http/rpc/core/bound-namespaces.js'
import type { Subject } from '../../../../manifests/instance-role-binding.js'
import type { KubeApi, KubeRequest } from '../../../../ports/kube-api.js'

const binding = (namespace: string, ...subjects: Subject[]): BoundSubjects => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'RoleBinding',
  metadata: { name: 'team', namespace },
  subjects,
})
const caller = (user: string, ...groups: string[]) => ({ user, groups, extra: {} })
const signal = new AbortController().signal

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
  ] as const)('binds by %s', (_, subject, who, expected) => {
    expect(binds(binding('shop', subject), who)).toBe(expected)
  })

  it('without subjects binds nobody', () => {
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
  const requests: KubeRequest[] = []
  const connection = {
    request: async (request: KubeRequest) => {
      requests.push(request)
      const { items, next } = pages[String(request.query?.continue ?? '')]!
      return { items, metadata: next ? { continue: next } : {} }
    },
  } as unknown as KubeApi

  it('are those in which a role is bound to it, once each, sorted, from all pages', async () => {
    const found = await boundNamespaces({ connection: () => connection }, 'eu-west', {
      caller: caller('ann', 'blue'),
      signal,
    })
    expect(found).toEqual(['bank', 'shop'])
    expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /apis/rbac.authorization.k8s.io/v1/rolebindings',
      'GET /apis/rbac.authorization.k8s.io/v1/rolebindings',
    ])
  })

  it('are not known while there is no connection', async () => {
    const asked = boundNamespaces({ connection: () => undefined }, 'eu-west', {
      caller: caller('ann'),
      signal,
    })
    await expect(asked).rejects.toThrow('no connection to instance eu-west')
  })
})
