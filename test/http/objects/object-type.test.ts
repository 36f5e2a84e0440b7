import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Failure } from '../../../http/errors/failure.js'
import { collectionPath, objectPath } from '../../../http/objects/object-type.js'
import { requestInfo } from '../../../http/proxy/route/request-info.js'

const type = { group: 'apps', version: 'v1', resource: 'deployments', kind: 'Deployment', namespaced: true }
const place = { instance: 'north' }

describe('the path of an object', () => {
  it('is correct for an instance and for a member', () => {
    expect(objectPath(place, type, { namespace: 'a', name: 'b' })).toBe(
      '/apis/apps/v1/namespaces/a/deployments/b',
    )
    expect(objectPath({ ...place, cluster: 'm' }, type, { namespace: 'a', name: 'b' })).toBe(
      '/apis/cluster.karmada.io/v1alpha1/clusters/m/proxy/apis/apps/v1/namespaces/a/deployments/b',
    )
    expect(collectionPath(place, type)).toBe('/apis/apps/v1/deployments')
  })

  it.each([
    [{ namespace: 'a', name: '' }],
    [{ namespace: 'a' } as { namespace: string; name: string }],
    [{ namespace: '', name: 'a' }],
    [{ name: 'a' }],
    [{ namespace: 'a', name: '..' }],
    [{ namespace: '.', name: 'a' }],
    [{ namespace: 'a', name: 'b/status' }],
    [{ namespace: 'a', name: 'b%2Fstatus' }],
    [{ namespace: 'a', name: '\ud800' }],
  ])('is refused for %j', key => {
    expect(() => objectPath(place, type, key)).toThrow(Failure)
  })

  it('is never that of a collection or a subresource, whatever the key contains', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('', '.', '..', '/', '%2e%2e', '?', '#', ';'),
    )
    fc.assert(
      fc.property(text, text, (namespace, name) => {
        let path: string
        try {
          path = objectPath(place, type, { namespace, name })
        } catch {
          return
        }
        const { verb, resource } = requestInfo('DELETE', path)
        expect({ verb, ...resource }).toEqual({
          verb: 'delete',
          group: 'apps',
          version: 'v1',
          resource: 'deployments',
          namespace,
          name,
        })
      }),
    )
  })
})
