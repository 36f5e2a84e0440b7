import { describe, expect, it } from 'vitest'
import { selects } from '../../../http/objects/list/select.js'
import type { KubeObject } from '../../../manifests/kube.js'

const owner = (uid: string, controller?: boolean) => ({
  ...{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'x', uid },
  ...(controller !== undefined && { controller }),
})
const object = (...ownerReferences: ReturnType<typeof owner>[]) =>
  ({ metadata: { name: 'web-1', ownerReferences } }) as unknown as KubeObject

describe('a list of what an owner has', () => {
  it.each([
    ['its controller', object(owner('u', true)), true],
    ['an owner that does not control it', object(owner('u', false)), false],
    ['an owner that does not say so', object(owner('u')), false],
    ['another controller', object(owner('u'), owner('v', true)), false],
    ['no owner', object(), false],
  ])('selects an object by %s', (_, one, isSelected) => {
    expect(selects({ ownerUid: 'u' })(one)).toBe(isSelected)
    expect(selects({})(one)).toBe(true)
  })

  it('selects by every part of a name, by names, and by a condition', () => {
    const one = object()
    expect(selects({ nameContains: ['web', '-1'] })(one)).toBe(true)
    expect(selects({ nameContains: ['web', '-2'] })(one)).toBe(false)
    expect(selects({ names: ['web'] })(one)).toBe(false)
    expect(selects({ names: [] })(one)).toBe(true)
    expect(selects({ names: ['web-1'], where: () => false })(one)).toBe(false)
  })
})
