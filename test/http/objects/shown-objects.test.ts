import { describe, expect, it } from 'vitest'
import { ShownObjects } from '../../../http/objects/watch/shown-objects.js'

const object = (name: string, resourceVersion = '1', uid = name, namespace?: string) => ({
  ...{ apiVersion: 'v1', kind: 'ConfigMap' },
  metadata: { name, uid, resourceVersion, ...(namespace && { namespace }) },
})

/** The digest of a list that was shown these objects in turn. */
function digestOf(...objects: ReturnType<typeof object>[]) {
  const shown = new ShownObjects()
  for (const one of objects) shown.set(one)
  return shown.at('7')?.digest
}

describe('the digest of a list', () => {
  it('is that of its objects, however the list came to have them', () => {
    const shown = new ShownObjects()
    for (const one of [object('b'), object('a', '0'), object('c'), object('a', '1')]) shown.set(one)
    shown.delete(object('c', '9'))
    shown.delete(object('never'))
    expect(shown.size).toBe(2)
    expect(shown.at('7')).toEqual({ version: '7', digest: digestOf(object('a'), object('b')) })
  })

  it.each([
    ['version', object('a', '2')],
    ['identity', object('a', '1', 'other')],
    ['name', object('b', '1', 'a')],
    ['namespace', object('a', '1', 'a', 'shop')],
  ])('is another where an object has another %s', (_, other) => {
    expect(digestOf(other)).not.toBe(digestOf(object('a')))
  })

  it('has 16 digits, also where the first ones are zero', () => {
    const names = Array.from({ length: 64 }, (_, n) => `c${n}`)
    for (const name of names) expect(digestOf(object(name))).toMatch(/^[0-9a-f]{16}$/)
    expect(names.some(name => digestOf(object(name))?.startsWith('0'))).toBe(true)
    expect(digestOf()).toBe('0'.repeat(16))
  })

  it.each(['', '0', '07', '7x', '1'.repeat(19)])(
    'is not given for the version %j, which is none of Kubernetes',
    version => {
      expect(new ShownObjects().at(version)).toBeUndefined()
    },
  )
})
