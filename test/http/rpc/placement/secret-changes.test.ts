import { describe, expect, it } from 'vitest'
import { changeMessage } from '../../../../http/rpc/placement/messages.js'

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'
const secret = (data: object, metadata: object = {}, more: object = {}) => ({
  ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'login', ...metadata } },
  ...{ data, ...more },
})
const shown = (before: object | undefined, after: object | undefined) =>
  changeMessage({ cluster: 'a', ...(before && { before }), ...(after && { after }) } as never)

describe('a change of a Secret in a preview', () => {
  it.each([
    ['that is new', undefined, secret({ password: 'Yw==' })],
    ['that is taken away', secret({ password: 'Yw==' }), undefined],
    ['whose value changes', secret({ password: 'b2xk' }), secret({ password: 'Yw==' })],
    ['that gets its first values', { ...secret({}), data: undefined }, secret({ password: 'Yw==' })],
    ['that gets another key', secret({ user: 'bWU=' }), secret({ user: 'bWU=', password: 'Yw==' })],
    [
      'whose copy of its manifest changes',
      secret({}, { annotations: { [LAST_APPLIED]: 'old' } }),
      secret({}, { annotations: { [LAST_APPLIED]: '"Yw=="' } }),
    ],
    [
      'that gets a copy of its manifest',
      secret({}),
      secret({}, { annotations: { [LAST_APPLIED]: '"Yw=="' } }),
    ],
    ['that gets values in clear', secret({}), secret({}, {}, { stringData: { password: 'Yw==' } })],
  ])('has no value of one %s', (_, before, after) => {
    const message = shown(before, after)
    expect(message).toBeDefined()
    expect(JSON.stringify(message)).not.toMatch(/Yw==|b2xk|bWU=/)
  })

  it('names the keys that change, and shows what is not secret', () => {
    const after = secret({ password: 'Yw==' }, { labels: { tier: 'front' } })
    expect(shown(secret({ password: 'b2xk' }, { labels: { tier: 'back' } }), after)).toMatchObject({
      after: expect.stringContaining('"data":{"password":""}'),
      patch: expect.arrayContaining([
        { op: 'replace', path: '/data/password', value: '""' },
        { op: 'replace', path: '/metadata/labels/tier', value: '"front"' },
      ]),
    })
  })
})

it('a change of a ConfigMap has its values', () => {
  const map = (colour: string) => ({ ...secret({ colour }), kind: 'ConfigMap' })
  expect(shown(map('green'), map('blue'))?.patch).toEqual([
    { op: 'replace', path: '/data/colour', value: '"blue"' },
  ])
})
