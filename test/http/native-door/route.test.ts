import { describe, expect, it } from 'vitest'
import { askedOf } from '../../../http/native-door/asked.js'
import { requestInfo } from '../../../http/native-door/request-info.js'
import { type IndexState, reasons, route } from '../../../http/native-door/route.js'

describe('what a request is about', () => {
  it.each([
    ['GET', '/api/v1/namespaces/a/pods', 'list pods a'],
    ['GET', '/api/v1/namespaces/a/pods/x', 'get pods a x'],
    ['GET', '/api/v1/namespaces/a/pods/x/log?follow=true', 'get pods a x log, long'],
    ['GET', '/api/v1/pods?watch=1', 'watch pods, long'],
    ['GET', '/api/v1/watch/namespaces/a/pods', 'watch pods a, long'],
    ['GET', '/apis/apps/v1/deployments?limit=500&resourceVersion=0', 'list apps/deployments'],
    [
      'GET',
      '/api/v1/pods?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan',
      'watch pods, long',
    ],
    ['POST', '/apis/apps/v1/namespaces/a/deployments?dryRun=All', 'create apps/deployments a, dry'],
    ['PATCH', '/apis/apps/v1/namespaces/a/deployments/x/scale', 'patch apps/deployments a x scale'],
    ['DELETE', '/api/v1/namespaces/a/pods', 'deletecollection pods a'],
    ['DELETE', '/api/v1/namespaces/a', 'delete namespaces a'],
    ['GET', '/api/v1/namespaces', 'list namespaces'],
    ['PUT', '/api/v1/namespaces/a/finalize', 'update namespaces a finalize'],
    [
      'GET',
      '/apis/cluster.karmada.io/v1alpha1/clusters/m/proxy/api/v1/pods',
      'get cluster.karmada.io/clusters m proxy/api/v1/pods',
    ],
    ['GET', '/apis/apps/v1', 'get'],
    ['GET', '/openapi/v3', 'get'],
    ['POST', '/', 'post'],
    ['GET', '/api/v1/pods?watch=false', 'list pods'],
  ])('%s %s is %s', (method, target, words) => {
    const { verb, resource: r, long, dryRun } = requestInfo(method, target)
    const named = r && [`${r.group ? `${r.group}/` : ''}${r.resource}`, r.namespace, r.name, r.subresource]
    const flags = [long && 'long', dryRun && 'dry'].filter(Boolean)
    // Namespaces are their own name here, so that the table reads alike.
    expect([[verb, ...(named ?? [])].filter(Boolean).join(' '), ...flags].join(', ')).toBe(words)
  })
})

const clusterpedia = { lossless: false, listResourceVersion: false, watch: false }
const embedded = { lossless: true, listResourceVersion: true, watch: true }
const good: Omit<IndexState, 'can'> = {
  holds: 'synced',
  trouble: undefined,
  standsStill: false,
  access: 'allowed',
  reached: true,
  showsOwnWrites: true,
}

const JSON_ONLY = 'application/json'
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json'
const METADATA = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1'
const PROTOBUF = 'application/vnd.kubernetes.protobuf'
const all = '/apis/apps/v1/deployments'
const one = '/apis/apps/v1/namespaces/a/deployments/x'

type Index = Parameters<typeof route>[2]
const routed = (request: string, index: Index, accept: string | undefined = JSON_ONLY) => {
  const [method = '', target = ''] = request.split(' ')
  const info = requestInfo(method, target)
  return route(info, askedOf(method, info, accept), index)
}
const met = new Set<string>()

describe('a request goes', () => {
  /** Where each engine, in order, may answer: `index`, or the reason why Karmada does. */
  const rows: [request: string, ofClusterpedia: string, ofEmbedded?: string, accept?: string][] = [
    // Lists, watches and single objects
    [`GET ${all}`, 'Index'],
    [`GET ${all}?limit=500`, 'Index'],
    [`GET ${all}?limit=20`, 'Page'],
    [`GET ${all}?limit=x`, 'Parameter'],
    [`GET ${all}?limit=500&continue=abc`, 'ContinueToken'],
    [`GET ${all}?labelSelector=app%3Dx`, 'Index'],
    [`GET ${all}?labelSelector=app!%3Dx,tier%20notin%20(a,b)`, 'Index'],
    [`GET ${all}?labelSelector=search.clusterpedia.io%2Fclusters%3Dother`, 'LabelSelector'],
    [`GET ${all}?labelSelector=n%3E5`, 'LabelSelector'],
    [`GET ${all}?fieldSelector=metadata.name%3Dx`, 'FieldSelector'],
    [`GET ${one}`, 'NotLossless', 'Index'],
    [`GET ${all}?watch=true`, 'NoWatch', 'Index'],
    [
      `GET ${all}?watch=true&allowWatchBookmarks=true&timeoutSeconds=300&resourceVersion=7`,
      'NoWatch',
      'Index',
    ],
    [`GET ${all}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`, 'NoWatch', 'Index'],
    [`GET ${one}?watch=true`, 'FieldSelector'],
    ['GET /api/v1/watch/namespaces/a/pods/x', 'FieldSelector'],
    // Which state
    [`GET ${all}?resourceVersion=0`, 'Informer', 'Index'],
    [`GET ${all}?limit=500&resourceVersion=0`, 'Informer', 'Index'],
    [`GET ${all}?resourceVersion=77`, 'VersionUnknown', 'Index'],
    [`GET ${all}?resourceVersion=77&limit=500`, 'Version'],
    [`GET ${all}?resourceVersion=77&resourceVersionMatch=NotOlderThan&limit=500`, 'VersionUnknown', 'Index'],
    [`GET ${all}?resourceVersion=77&resourceVersionMatch=Exact`, 'Version'],
    [`GET ${all}?resourceVersion=x`, 'Version'],
    [`GET ${all}?resourceVersionMatch=NotOlderThan`, 'Version'],
    [`GET ${one}?resourceVersion=77`, 'NotLossless', 'Index'],
    // What an index would take for words of its own
    [`GET ${all}?namespaces=b`, 'Parameter'],
    [`GET ${all}?orderby=name`, 'Parameter'],
    [`GET ${all}?whereSQL=1`, 'Parameter'],
    [`GET ${all}?labelSelector=a&labelSelector=b`, 'Parameter'],
    [`GET ${all}?allowWatchBookmarks=true`, 'Parameter'],
    // In which form
    [`GET ${all}`, 'Table', 'Table', TABLE],
    [`GET ${all}`, 'MediaType', 'MediaType', PROTOBUF],
    [`GET ${all}`, 'Index', 'Index', `${PROTOBUF},application/json`],
    [`GET ${all}`, 'Index', 'Index', `${PROTOBUF};${METADATA.slice(17)},${METADATA}`],
    [`GET ${all}`, 'MediaType', 'MediaType', 'application/yaml'],
    [`GET ${all}`, 'Index', 'Index', '*/*'],
    [`GET ${all}`, 'MediaType', 'MediaType', 'application/json;q=0.1,application/yaml'],
    [`GET ${all}`, 'MediaType', 'MediaType', METADATA.replace('v=v1', 'v=v1beta1')],
    // What no index is for
    [`HEAD ${all}`, 'HeadOnly'],
    ['POST /apis/apps/v1/namespaces/a/deployments', 'NotARead'],
    [`PUT ${one}`, 'NotARead'],
    [`PATCH ${one}`, 'NotARead'],
    [`DELETE ${one}`, 'NotARead'],
    [`DELETE ${all}`, 'NotARead'],
    ['GET /api/v1/namespaces/a/pods/x/log', 'Subresource'],
    ['GET /api/v1/namespaces/a/pods/x/exec', 'Subresource'],
    ['GET /apis/cluster.karmada.io/v1alpha1/clusters/m/proxy/api/v1/pods', 'Subresource'],
    [`GET ${all}?dryRun=All`, 'DryRun'],
    ['GET /apis', 'NoResource'],
    ['GET /version', 'NoResource'],
  ]
  it.each(rows)(
    '%s to %s, or %s',
    (request, ofClusterpedia, ofEmbedded = ofClusterpedia, accept = JSON_ONLY) => {
      const found = [clusterpedia, embedded].map(can => routed(request, { ...good, can }, accept))
      expect(found.map(({ reason }) => reason)).toEqual([ofClusterpedia, ofEmbedded])
      for (const { to, reason, fallback } of found) {
        expect([to, fallback]).toEqual([reason === 'Index' ? 'index' : 'karmada', false])
        met.add(reason)
      }
    },
  )

  it.each([
    [{ holds: 'no' }, 'NotIndexed', false],
    [{ access: 'denied' }, 'Denied', false],
    [{ holds: 'syncing' }, 'Syncing', true],
    [{ trouble: 'ClusterHealthy is False: NotReachable' }, 'Trouble', true],
    [{ standsStill: true }, 'StandsStill', true],
    [{ access: 'unknown' }, 'AccessUnknown', true],
    [{ showsOwnWrites: false }, 'OwnWrites', false],
    [{ reached: false }, 'NotReached', false],
  ] as const)('to Karmada when the index is %j: %s (a fallback: %s)', (change, reason, fallback) => {
    for (const request of [`GET ${all}`, `GET ${one}`, `GET ${all}?watch=1`])
      expect(routed(request, { ...good, can: embedded, ...change })).toMatchObject({
        to: 'karmada',
        reason,
        fallback,
      })
    met.add(reason)
  })

  it('to Karmada where there is no index', () => {
    const { to, reason } = routed(`GET ${all}`, undefined)
    expect([to, reason]).toEqual(['karmada', 'NoIndex'])
    met.add(reason)
  })

  it('and no reason goes untested', () => expect([...met].sort()).toEqual([...reasons].sort()))
})
