import { fromBinary, toJson } from '@bufbuild/protobuf'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { kubeConnector } from '../../actors/kube/connector.js'
import { bareStatus, StatusError } from '../../manifests/status-error.js'
import { type KubeApi, type KubeRequest, UnreachableError } from '../../ports/kube-api.js'
import { StatusSchema } from '../../proto/gen/google/rpc/status_pb.js'
import { errorDetailTypes } from '../../transcoding/error-details.js'
import { base64, kubeconfig } from '../actors/kube/a-kubeconfig.js'
import { fakeFleet, viewOf } from './fakes/fleet.js'
import { refusal } from './fakes/host.js'
import { bearer, curl, type GrpcClient, grpcClient, listeningApi, unary } from './fakes/listening.js'

/** A control plane as its requests are answered, by path; what it throws it refuses. */
type Answers = Readonly<Record<string, () => unknown>>

const KARMADA: Answers = {
  '/readyz': () => 'ok',
  '/api/v1/namespaces/kube-system': () => ({ metadata: { name: 'kube-system', uid: 'new' } }),
  '/apis/cluster.karmada.io/v1alpha1': () => ({ resources: [{ name: 'clusters' }] }),
  '/version': () => ({ gitVersion: 'v1.36.2' }),
}
const refuse = (code: number, reason = '') => {
  throw new StatusError({ ...bareStatus(code, 'no'), reason })
}

/** Real parsing and address rules; behind them no sockets, but these answers. */
const control = { answers: KARMADA, open: 0, asked: [] as KubeRequest[] }
const real = kubeConnector()
const connector = {
  async connect(text: string): Promise<KubeApi> {
    const api = await real.connect(text)
    control.open++
    const request = async (sent: KubeRequest) => {
      control.asked.push(sent)
      const { pathname } = new URL(sent.path, 'https://any')
      return control.answers[pathname]?.() ?? refuse(404, 'NotFound')
    }
    const close = async () => {
      control.open--
      await api.close()
    }
    return { ...api, request: request as KubeApi['request'], close }
  },
}

const NORTH = viewOf('north')
const SOUTH = viewOf('south')
/** `south` has an endpoint of its own, and leads to the control plane `uid-south`. */
const fleet = fakeFleet(NORTH, {
  ...SOUTH,
  instance: { ...SOUTH.instance, status: { controlPlaneID: 'uid-south' } },
})
/** The Secrets of namespace `keys`, by name, with their types and data. */
const good = kubeconfig({ server: 'https://new.test:5443', user: { token: 's3cret' } })
const SECRETS: Readonly<Record<string, { type?: string; data?: Readonly<Record<string, string>> }>> = {
  good: { data: { kubeconfig: base64(good), admin: base64(good) } },
  other: { data: { ca: base64('a'), value: base64(good) } },
  empty: {},
  tls: { type: 'kubernetes.io/tls', data: { kubeconfig: base64(good) } },
  garbled: { data: { kubeconfig: base64('a: b: s3cret') } },
  running: {
    data: { kubeconfig: base64(kubeconfig({ user: { exec: { apiVersion: 'v1', command: 's3cret' } } })) },
  },
  file: { data: { kubeconfig: base64(kubeconfig({ user: { tokenFile: '/s3cret' } })) } },
  metadata: { data: { kubeconfig: base64(kubeconfig({ server: 'https://169.254.169.254' })) } },
  north: { data: { kubeconfig: base64(kubeconfig({ server: 'https://north.test:5443' })) } },
}

let api: Awaited<ReturnType<typeof listeningApi>>
let client: GrpcClient
beforeAll(async () => {
  api = await listeningApi(fleet, { connector })
  client = grpcClient(api.running)
})
afterAll(async () => {
  client.close()
  await api.running.close()
})
beforeEach(() => {
  Object.assign(control, { answers: KARMADA, asked: [] })
  api.host.script = onHost()
  api.host.requests.length = 0
})

/** A host with these Secrets and karmada-operator. @param karmadas its answer to a request for a Karmada */
function onHost(karmadas: () => unknown = () => refuse(404, 'NotFound')) {
  return ({ path, query }: KubeRequest) => {
    if (path.startsWith('/apis/operator.karmada.io/')) return karmadas()
    if (path === '/api/v1/namespaces/closed/secrets')
      throw refusal(403, 'Forbidden', 'secrets is forbidden: User "kairship" cannot list')
    if (!path.endsWith('/secrets')) return undefined
    const [, name = ''] = String(query?.fieldSelector).split('=')
    const found = path.includes('/keys/') ? SECRETS[name] : undefined
    return { items: found ? [{ metadata: { namespace: 'keys', name }, ...found }] : [] }
  }
}

/** The answer to a dry run, which is the same on both wires. */
async function tried(spec: object, token = 'admin') {
  const request = { data: { metadata: { name: 'fresh' }, spec }, dryRun: true }
  const path = '/apis/kairship.io/v1alpha1/instances'
  const rest = await curl(api.running, path, { token }, { 'x-request-id': 'same' }, 'POST', request)
  const metadata = bearer(token)
  metadata.set('x-request-id', 'same')
  const { error } = await unary(client, 'CreateInstance', request, metadata)
  const json = JSON.parse(rest.text)
  expect(error?.code ?? 0).toBe(json.code ?? 0)
  if (error) {
    const [details] = error.metadata.get('grpc-status-details-bin')
    const status = fromBinary(StatusSchema, details as Buffer)
    expect(toJson(StatusSchema, status, { registry: errorDetailTypes, alwaysEmitImplicit: true })).toEqual(
      json,
    )
  }
  expect(rest.text).not.toContain('s3cret')
  expect(control.open).toBe(0)
  expect(api.host.instances.has('fresh')).toBe(false)
  return { status: rest.status, json }
}
const adopted = (name: string, more: object = {}) => ({
  kubeconfigSecretRef: { namespace: 'keys', name, ...more },
})
const reasonOf = (json: { details?: readonly { reason?: string }[] }) =>
  json.details?.find(detail => detail.reason !== undefined)?.reason
const fieldsOf = (json: { details?: readonly { fieldViolations?: readonly { field: string }[] }[] }) =>
  json.details?.flatMap(({ fieldViolations = [] }) => fieldViolations.map(({ field }) => field))

describe('a dry run of an instance that is adopted', () => {
  const REF = 'data.spec.kubeconfigSecretRef'

  it.each([
    ['SecretNotFound', adopted('none'), `${REF}.name`, /^.*: Secret keys\/none does not exist on the host/],
    [
      'SecretKeyMissing',
      adopted('other'),
      `${REF}.key`,
      /Secret keys\/other has no key 'kubeconfig'; it has ca, value/,
    ],
    [
      'SecretKeyMissing',
      adopted('good', { key: 'k' }),
      `${REF}.key`,
      /has no key 'k'; it has kubeconfig, admin/,
    ],
    ['SecretKeyMissing', adopted('empty'), `${REF}.key`, /has no key 'kubeconfig'; it has no data/],
    ['SecretKeyMissing', adopted('tls'), `${REF}.key`, /has no key 'kubeconfig'; it has no data/],
    [
      ...[
        'SecretUnreadable',
        { kubeconfigSecretRef: { namespace: 'closed', name: 'x' } },
        `${REF}.namespace`,
      ],
      /Kairship may not list Secrets in namespace closed/,
    ],
    [
      'KubeconfigInvalid',
      adopted('garbled'),
      `${REF}.key`,
      /Secret keys\/garbled, key 'kubeconfig': not valid YAML \(line 1\)/,
    ],
    ['KubeconfigInvalid', adopted('running'), `${REF}.key`, /exec and auth-provider are not allowed here/],
    ['KubeconfigInvalid', adopted('file'), `${REF}.key`, /names a local file, which is not allowed here/],
    ['KubeconfigInvalid', adopted('metadata'), `${REF}.key`, /server is a link-local or metadata address/],
  ] as [string, object, string, RegExp][])(
    'is refused with %s for %j',
    async (reason, spec, field, message) => {
      const { status, json } = await tried(spec)
      expect([status, reasonOf(json), fieldsOf(json)]).toEqual([400, reason, [field]])
      expect(json.message).toMatch(message)
      expect(control.asked).toEqual([])
    },
  )

  it.each([
    [
      ...['ClusterUnreachable', '/readyz', 503],
      () => {
        throw new UnreachableError('GET /readyz: connect ECONNREFUSED 127.0.0.1:5443', 'ECONNREFUSED')
      },
      /https:\/\/new.test:5443 .*cannot be reached by Kairship: GET \/readyz: connect ECONNREFUSED/,
    ],
    [
      ...['ClusterUnreachable', '/readyz', 503],
      () => {
        throw new UnreachableError('GET /readyz: self-signed', 'DEPTH_ZERO_SELF_SIGNED_CERT')
      },
      /certificate-authority-data/,
    ],
    ['ClusterRefused', '/readyz', 400, () => refuse(401, 'Unauthorized'), /does not accept the credential/],
    [
      ...['ClusterRefused', '/api/v1/namespaces/kube-system', 400, () => refuse(403, 'Forbidden')],
      /refuses GET \/api\/v1\/namespaces\/kube-system/,
    ],
    ['ClusterNotReady', '/readyz', 503, () => 'etcd failed: s3cret', /is not ready/],
    ['ClusterNotReady', '/readyz', 503, () => refuse(500), /is not ready/],
    ['NotKarmada', '/readyz', 400, () => refuse(404), /is no API server of Kubernetes/],
    [
      'NotKarmada',
      '/apis/cluster.karmada.io/v1alpha1',
      400,
      () => refuse(404),
      /no Karmada control plane: .*cluster\.karmada\.io/,
    ],
    [
      'NotKarmada',
      '/apis/cluster.karmada.io/v1alpha1',
      400,
      () => ({ resources: [] }),
      /no Karmada control plane/,
    ],
    [
      ...['ClusterNotReady', '/apis/cluster.karmada.io/v1alpha1', 503],
      () => refuse(503, 'ServiceUnavailable'),
      /karmada-aggregated-apiserver/,
    ],
    [
      ...['DuplicateControlPlane', '/api/v1/namespaces/kube-system', 409],
      () => ({ metadata: { name: 'kube-system', uid: 'uid-south' } }),
      /instance south/,
    ],
  ] as [string, string, number, () => unknown, RegExp][])(
    'is refused with %s by the answer to %s (HTTP %i)',
    async (reason, path, status, answer, message) => {
      control.answers = { ...KARMADA, [path]: answer }
      const { json, ...answered } = await tried(adopted('good'))
      expect([answered.status, reasonOf(json)]).toEqual([status, reason])
      expect(json.message).toMatch(message)
      expect(json.message).toContain('keys/good')
    },
  )

  it('is refused with DuplicateEndpoint before anything is sent there', async () => {
    const { status, json } = await tried(adopted('north'))
    expect([status, reasonOf(json)]).toEqual([409, 'DuplicateEndpoint'])
    expect(json.message).toContain('instance north')
    expect(control.asked).toEqual([])
  })

  it('answers what it found in the status', async () => {
    const { status, json } = await tried(adopted('good', { key: 'admin' }))
    expect(status).toBe(200)
    expect(json.status).toMatchObject({
      endpoint: 'https://new.test:5443',
      kubernetesVersion: 'v1.36.2',
      controlPlaneID: 'new',
    })
  })

  it('says nothing of Secrets to a caller who may not read the instance that would show it', async () => {
    const { status, json } = await tried(adopted('none'), 'creator')
    expect([status, json.status.endpoint]).toEqual([200, ''])
    expect(api.host.requests.some(({ path }) => path.includes('/secrets'))).toBe(false)
  })

  it('is refused before a Secret is read to a caller who may not create instances', async () => {
    const { status } = await tried(adopted('none'), 'viewer')
    expect(status).toBe(403)
  })
})

describe('a dry run of an instance that is installed', () => {
  const KARMADA_OF = (labels: object, more: object = {}) => ({ metadata: { name: 'fresh', labels, ...more } })
  const OURS = { 'app.kubernetes.io/managed-by': 'kairship', 'kairship.io/instance': 'fresh' }

  it.each([
    ['NoKarmadaOperator', 400, () => refuse(404), /karmada-operator/],
    [
      'AlreadyExists',
      409,
      () => KARMADA_OF({}),
      /Karmada karmada-fresh\/fresh exists and was not made by Kairship/,
    ],
    [
      ...['Deleting', 400, () => KARMADA_OF(OURS, { deletionTimestamp: '2026-11-20T11:00:00Z' })],
      /Karmada karmada-fresh\/fresh is being deleted/,
    ],
  ] as [string, number, () => unknown, RegExp][])(
    'is refused with %s (HTTP %i)',
    async (reason, status, karmada, message) => {
      api.host.script = onHost(karmada)
      const { json, ...answered } = await tried({ install: {} })
      expect([answered.status, reasonOf(json)]).toEqual([status, reason])
      expect(json.message).toMatch(message)
    },
  )

  it('is refused where the Secret of the other cluster is not there', async () => {
    const { status, json } = await tried({
      install: { hostCluster: { secretRef: { namespace: 'keys', name: 'none' } } },
    })
    expect([status, reasonOf(json), fieldsOf(json)]).toEqual([
      ...[400, 'SecretNotFound'],
      ['data.spec.install.hostCluster.secretRef.name'],
    ])
  })

  it.each([
    ['no Karmada bears its name', () => refuse(404, 'NotFound')],
    ['an earlier instance of this name left its Karmada', () => KARMADA_OF(OURS)],
  ])('is accepted where %s', async (_, karmada) => {
    api.host.script = onHost(karmada)
    expect((await tried({ install: {} })).status).toBe(200)
  })
})
