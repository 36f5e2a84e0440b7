import { describe, expect, it } from 'vitest'
import {
  isDataKey,
  isDnsLabel,
  isHost,
  isLabelKey,
  isLabelValue,
  isPort,
  isPortName,
  isServiceName,
  isSubdomain,
} from '../../../console/forms/names.js'

describe('a name that API servers accept', () => {
  it.each<[string, (text: string) => boolean, string[], string[]]>([
    [
      'of a namespace',
      isDnsLabel,
      ['shop', 'a', '1a', 'a'.repeat(63)],
      ['', 'Shop', '-a', 'a-', 'a.b', 'a'.repeat(64)],
    ],
    ['of an object', isSubdomain, ['shop.v2', 'a'.repeat(253)], ['', 'a..b', '.a', 'a_b', 'a'.repeat(254)]],
    ['of a Service', isServiceName, ['web-1'], ['1web', 'web.v1', '']],
    ['of a port', isPortName, ['http', 'a-1', 'a'.repeat(15)], ['80', 'a--b', 'Http', 'a'.repeat(16), '']],
    ['of a port, or its number', isPort, ['1', '65535', 'http'], ['0', '65536', '8o80!', '']],
    [
      'of a label',
      isLabelKey,
      ['app', 'app.kubernetes.io/name', 'A_b.c'],
      ['', '/a', 'a/', 'a/b/c', 'a b', '-a', 'a'.repeat(64)],
    ],
    ['as the value of a label', isLabelValue, ['', 'v1.2', 'A'], ['a b', '-', 'a'.repeat(64)]],
    [
      'of an entry of a ConfigMap',
      isDataKey,
      ['tls.crt', '.dockerconfigjson', 'A_b'],
      ['', '.', '..', '..a', 'a b', 'a/b'],
    ],
    ['of a host', isHost, ['shop.example.com', '*.example.com'], ['', '*', 'a.*.com', 'Shop']],
  ])('%s', (_, is, good, bad) => {
    expect(good.filter(text => !is(text))).toEqual([])
    expect(bad.filter(is)).toEqual([])
  })
})
