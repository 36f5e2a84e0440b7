import { describe, expect, it } from 'vitest'
import { readRequestOf } from '../../../../http/proxy/route/read-request.js'
import { requestInfo } from '../../../../http/proxy/route/request-info.js'
import { type IndexState, type RouteReason, route } from '../../../../http/proxy/route/route.js'

const clusterpedia = { lossless: false, listResourceVersion: false, watch: false }
const embedded = { lossless: true, listResourceVersion: true, watch: true }
const good: Omit<IndexState, 'can'> = {
  holds: 'synced',
  trouble: undefined,
  stalled: false,
  hangs: false,
  away: false,
  aggregated: 'no',
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
const routed = (
  request: string,
  index: Index,
  accept: string | undefined = JSON_ONLY,
  client: Readonly<Record<string, string>> = {},
) => {
  const [method = '', target = ''] = request.split(' ')
  const info = requestInfo(method, target)
  return route(info, readRequestOf(method, info, { accept, ...client }), index)
}
const met = new Set<string>()

describe('a request is routed', () => {
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
    [`GET ${one}?watch=true`, 'NotLossless', 'Index'],
    [`GET ${all}?watch=yes`, 'NoWatch', 'Index'],
    [`GET ${all}?watch=true&timeoutSeconds=x`, 'Parameter'],
    [`GET ${all}?labelSelector=-bad`, 'LabelSelector'],
    [`GET /apis/apps/v1/%64eployments`, 'Index'],
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
    [{ holds: 'paused' }, 'Trouble', true],
    [{ hangs: true }, 'Hangs', true],
    [{ stalled: true }, 'Stalled', true],
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

  it.each([
    ['yes', 'Aggregated', false],
    ['unknown', 'AggregatedUnknown', true],
  ] as const)(
    'to Karmada when an aggregated API serves the type (%s), unless lists have versions',
    (aggregated, reason, fallback) => {
      const ofClusterpedia = routed(`GET ${all}`, { ...good, can: clusterpedia, aggregated })
      expect(ofClusterpedia).toMatchObject({ to: 'karmada', reason, fallback })
      expect(routed(`GET ${all}`, { ...good, can: embedded, aggregated })).toMatchObject({ to: 'index' })
      met.add(reason)
    },
  )

  it.each([
    [{ away: true }, 'index', 'InstanceAway'],
    [{ away: true, trouble: 'ClusterHealthy is False: NotReachable' }, 'index', 'InstanceAway'],
    [{ away: true, holds: 'paused' }, 'index', 'InstanceAway'],
    [{ away: true, holds: 'syncing' }, 'karmada', 'Syncing'],
    [{ away: true, stalled: true }, 'karmada', 'Stalled'],
    [{ away: true, hangs: true }, 'karmada', 'Hangs'],
    [{ away: true, access: 'unknown' }, 'karmada', 'AccessUnknown'],
    [{ away: true, showsOwnWrites: false }, 'karmada', 'OwnWrites'],
  ] as const)('for an unreachable instance and an index with %j: to the %s, %s', (change, to, reason) => {
    expect(routed(`GET ${all}`, { ...good, can: embedded, ...change })).toMatchObject({ to, reason })
    met.add(reason)
  })

  it.each([
    ['kubectl', { 'user-agent': 'kubectl/v1.20.2 (linux/amd64) kubernetes/0000000' }],
    ['kubectl on Windows', { 'user-agent': 'kubectl.exe/v1.20.2 (windows/amd64) kubernetes/0000000' }],
    [
      'kubectl in a file called k',
      { 'user-agent': 'k/v1.36.2 (linux/amd64) kubernetes/0000000', 'kubectl-command': 'kubectl get' },
    ],
  ])(
    'to Karmada when %s lists, unless lists have versions: `get -w` watches from the list',
    (_name, kubectl) => {
      for (const request of [`GET ${all}`, `GET ${all}?limit=500`]) {
        const ofClusterpedia = routed(request, { ...good, can: clusterpedia }, JSON_ONLY, kubectl)
        expect(ofClusterpedia).toMatchObject({ to: 'karmada', reason: 'BeforeWatch', fallback: false })
        expect(routed(request, { ...good, can: embedded }, JSON_ONLY, kubectl)).toMatchObject({ to: 'index' })
      }
      met.add('BeforeWatch')
    },
  )

  it('to Karmada where there is no index', () => {
    const { to, reason } = routed(`GET ${all}`, undefined)
    expect([to, reason]).toEqual(['karmada', 'NoIndex'])
    met.add(reason)
  })

  it('with every reason covered by a row', () => {
    const tested: Record<RouteReason, 'here' | 'where an index is read' | 'with the rules of lists'> = {
      NoResource: 'here',
      NotARead: 'here',
      HeadOnly: 'here',
      DryRun: 'here',
      Subresource: 'here',
      Table: 'here',
      MediaType: 'here',
      ContinueToken: 'here',
      FieldSelector: 'here',
      LabelSelector: 'here',
      Parameter: 'here',
      Version: 'here',
      Page: 'here',
      Member: 'with the rules of lists',
      Namespaces: 'with the rules of lists',
      NoIndex: 'here',
      NoWatch: 'here',
      Informer: 'here',
      BeforeWatch: 'here',
      NotLossless: 'here',
      VersionUnknown: 'here',
      NotIndexed: 'here',
      Denied: 'here',
      Aggregated: 'here',
      Syncing: 'here',
      Trouble: 'here',
      Stalled: 'here',
      Hangs: 'here',
      InstanceAway: 'here',
      AccessUnknown: 'here',
      AggregatedUnknown: 'here',
      OwnWrites: 'here',
      NotReached: 'here',
      Index: 'here',
      Empty: 'where an index is read',
      NotFound: 'where an index is read',
      IndexFailed: 'where an index is read',
    }
    const here = Object.entries(tested).filter(([, where]) => where === 'here')
    expect([...met].sort()).toEqual(here.map(([reason]) => reason).sort())
  })
})
