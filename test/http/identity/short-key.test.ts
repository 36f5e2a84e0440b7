import { expect, it } from 'vitest'
import { callerKey, hostAuthorizer } from '../../../http/identity/authorize.js'
import { shortKey } from '../../../http/identity/short-key.js'
import type { KubeApi, KubeRequest } from '../../../ports/kube-api.js'

const groups = Array.from({ length: 1_000 }, (_, at) => `cn=team-${at},ou=department,ou=people,dc=example`)
const ann = { user: 'ann', groups, extra: {} }

it('a key of a short text is the text', () => {
  expect(shortKey('ann')).toBe('ann')
  expect(shortKey('x'.repeat(512))).toBe('x'.repeat(512))
  expect(shortKey('x'.repeat(513))).toHaveLength(44)
})

it('a key of a long text is short, and of no other text', () => {
  const texts = ['a', 'b', 'a ', 'aa'].map(end => 'x'.repeat(20_000) + end)
  const keys = texts.map(shortKey)
  expect(new Set(keys).size).toBe(4)
  expect(keys.map(({ length }) => length)).toEqual([44, 44, 44, 44])
  expect(texts.map(shortKey)).toEqual(keys)
})

it('a caller has a short key, however many groups it has, and another than one without the last of them', () => {
  expect(callerKey(ann).length).toBeLessThan(100)
  expect(callerKey({ ...ann })).toBe(callerKey(ann))
  expect(callerKey({ ...ann, groups: groups.slice(0, -1) })).not.toBe(callerKey(ann))
})

it('a verdict is that of a caller with all its groups, and on all of an action’s name, however long they are', async () => {
  const request = async <T>({ body }: KubeRequest) => {
    const { spec } = body as { spec: { groups: string[]; resourceAttributes: { name: string } } }
    const allowed = spec.groups.includes(groups[999] ?? '') && spec.resourceAttributes.name.endsWith('yes')
    return { status: { allowed } } as T
  }
  const authorizer = hostAuthorizer({ host: { request } as KubeApi, now: () => 0 })
  const asked = async (caller: typeof ann, end: string) =>
    (await authorizer.decide(caller, { verb: 'get', resource: 'instances', name: 'x'.repeat(20_000) + end }))
      .allowed
  expect(await asked(ann, 'yes')).toBe(true)
  expect(await asked(ann, 'no!')).toBe(false)
  expect(await asked({ ...ann, groups: groups.slice(0, -1) }, 'yes')).toBe(false)
})
