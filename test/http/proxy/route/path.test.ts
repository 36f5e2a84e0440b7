import { describe, expect, it } from 'vitest'
import { parseProxyPath } from '../../../../http/proxy/route/path.js'

const prefix = '/apis/kairship.io/v1alpha1/instances'

describe('a path through the proxy', () => {
  it.each([
    ['/north/proxy', 'north', '/'],
    ['/north/proxy/', 'north', '/'],
    ['/north/proxy?timeout=32s', 'north', '/?timeout=32s'],
    [
      '/north/proxy/api/v1/pods?watch=true&labelSelector=a%3Db',
      'north',
      '/api/v1/pods?watch=true&labelSelector=a%3Db',
    ],
    ['/a.b-c.d/proxy/version', 'a.b-c.d', '/version'],
    ['/proxy/proxy/proxy', 'proxy', '/proxy'],
    ['/north/proxy/api/v1/nodes/http:n:80/proxy/a%20b', 'north', '/api/v1/nodes/http:n:80/proxy/a%20b'],
    ['/north/proxy/api?a=b?c', 'north', '/api?a=b?c'],
    ['/north/proxy/api?next=%2F..%2Fx//', 'north', '/api?next=%2F..%2Fx//'],
    ['/north/proxy/api/v1/namespaces/..a/x', 'north', '/api/v1/namespaces/..a/x'],
  ])('%s goes to %s at %s', (path, instance, inside) =>
    expect(parseProxyPath(prefix + path)).toEqual({ instance, path: inside }),
  )

  it.each(['/north', '/north/json', '/north/proxyx', '', '/north/x/proxy/api', '//proxy/api'])(
    '%s is no path of the proxy',
    path => expect(parseProxyPath(prefix + path)).toBeUndefined(),
  )

  it.each([
    `https://elsewhere.test${prefix}/north/proxy/api`,
    `//elsewhere.test${prefix}/north/proxy/api`,
    `${prefix}/../instances/north/proxy/api`,
    '*',
    '',
  ])('%s is no path of the proxy, wherever it points', target => {
    const found = parseProxyPath(target)
    expect(found === undefined || 'problem' in found).toBe(true)
  })

  it.each([
    ['/north/proxy/api/../../x', '. or ..'],
    ['/north/proxy/..', '. or ..'],
    ['/north/proxy/api/./v1', '. or ..'],
    ['/north/proxy/%2e%2e/x', '. or ..'],
    ['/north/proxy/%2E/x', '. or ..'],
    ['/north/proxy/.%2e/x', '. or ..'],
    ['/north/proxy//api', 'empty segment'],
    ['/north/proxy/api//v1', 'empty segment'],
    ['/north/proxy/a%2fb', 'encoded slash'],
    ['/north/proxy/a%2Fb', 'encoded slash'],
    ['/north/proxy/a%5Cb', 'encoded slash'],
    ['/north/proxy/a%00', 'encoded slash'],
    ['/north/proxy/a\\b', 'not encoded'],
    ['/north/proxy/a b', 'not encoded'],
    ['/north/proxy/a\tb', 'not encoded'],
    ['/north/proxy/ä', 'not encoded'],
    ['/north/proxy/a#b', 'not encoded'],
    ['/north/proxy/a%zz', 'encodes nothing'],
    ['/north/proxy/a%', 'encodes nothing'],
    ['/north/proxy/a?b=c d', 'query is not encoded'],
    ['/NORTH/proxy/api', 'name of an instance'],
    ['/no%72th/proxy/api', 'name of an instance'],
    ['/../proxy/api', 'name of an instance'],
    [`/${'a'.repeat(254)}/proxy/api`, 'name of an instance'],
  ])('%s is refused: %s', (path, problem) =>
    expect(parseProxyPath(prefix + path)).toMatchObject({ problem: expect.stringContaining(problem) }),
  )
})
