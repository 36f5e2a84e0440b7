import { createAuthority } from '../../../playground/apiserver/access/certificates.js'
import { toBase64 } from '../../../playground/client/kubeconfig.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import { definitionOf } from '../../scenarios/support/boats.js'
import { eventually } from '../../scenarios/support/eventually.js'
import { cronJob, deployment, job } from '../services/workload-manifests.js'
import { newCanary } from './secret-values.js'

/** What the planted objects are called, and the namespace they are in. */
export const PLANTED = 'canary'
/** A Secret, and a Deployment that uses it, which only the member has. */
export const IN_MEMBER = 'member-only'

export type Requests = Pick<KubeApi, 'request'>
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'
const core = `/api/v1/namespaces/${PLANTED}`

/** The path of a type in the planted namespace. */
const inGroup = (group: string, resource: string) => `/apis/${group}/namespaces/${PLANTED}/${resource}`

/** Applies an object as kubectl does, which leaves a copy of the manifest in an annotation. */
export async function applied(api: Requests, path: string, manifest: { metadata: { name: string } }) {
  const annotations = { [LAST_APPLIED]: `${JSON.stringify(manifest)}\n` }
  await api.request({
    method: 'PATCH',
    path: `${path}/${manifest.metadata.name}`,
    query: { fieldManager: 'kubectl-client-side-apply' },
    contentType: 'application/apply-patch+yaml',
    body: { ...manifest, metadata: { ...manifest.metadata, annotations } },
  })
}

const secretOf = (name: string, type: string, data: Readonly<Record<string, string>>) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name },
  type,
  data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, toBase64(value)])),
})

/** A Secret of each of Kubernetes' types, each with a canary. */
export function secretsOfAllTypes() {
  const { certificate, key } = createAuthority('planted').issueServing()
  const login = { username: 'me', password: newCanary() }
  const auth = toBase64(`me:${newCanary()}`)
  return [
    secretOf(PLANTED, 'Opaque', { password: newCanary(), 'config.json': JSON.stringify(login) }),
    secretOf('tls', 'kubernetes.io/tls', { 'tls.crt': certificate, 'tls.key': key }),
    secretOf('login', 'kubernetes.io/basic-auth', login),
    secretOf('ssh', 'kubernetes.io/ssh-auth', { 'ssh-privatekey': newCanary() }),
    secretOf('registry', 'kubernetes.io/dockerconfigjson', {
      '.dockerconfigjson': JSON.stringify({ auths: { 'registry.example': { auth } } }),
    }),
    secretOf('release', 'helm.sh/release.v1', { release: toBase64(newCanary()) }),
  ]
}

/** Plants an object of each kind into an instance; those that hold secrets with canaries. */
export async function plant(karmada: Requests, member: string): Promise<void> {
  const post = (path: string, body: object) => karmada.request({ method: 'POST', path, body })
  await post('/api/v1/namespaces', { metadata: { name: PLANTED } })
  for (const secret of secretsOfAllTypes()) await applied(karmada, `${core}/secrets`, secret)
  await post(`${core}/secrets`, {
    metadata: { name: 'account', annotations: { 'kubernetes.io/service-account.name': 'default' } },
    type: 'kubernetes.io/service-account-token',
  })
  const metadata = { name: PLANTED }
  await post(`${core}/configmaps`, { metadata, data: { colour: 'green' } })
  await post(`${core}/services`, { metadata, spec: { ports: [{ port: 80 }] } })
  const podsOf = (app: string) => ({
    selector: { matchLabels: { app } },
    template: deployment(app).spec.template,
  })
  await post(inGroup('apps/v1', 'deployments'), withSecrets(PLANTED, PLANTED))
  await post(inGroup('apps/v1', 'statefulsets'), {
    metadata,
    spec: { serviceName: PLANTED, ...podsOf('stateful') },
  })
  await post(inGroup('apps/v1', 'daemonsets'), { metadata, spec: podsOf('daemon') })
  await post(inGroup('batch/v1', 'jobs'), job(PLANTED))
  await post(inGroup('batch/v1', 'cronjobs'), cronJob(PLANTED))
  await post(inGroup('networking.k8s.io/v1', 'ingresses'), {
    metadata,
    spec: { defaultBackend: { service: { name: PLANTED, port: { number: 80 } } } },
  })
  await post(inGroup('autoscaling.karmada.io/v1alpha1', 'federatedhpas'), {
    metadata,
    spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: PLANTED }, maxReplicas: 2 },
  })
  await post('/apis/rbac.authorization.k8s.io/v1/clusterroles', { metadata, rules: [] })
  await plantBoats(karmada)
  await plantPolicies(post)
  await plantWork(karmada, member)
}

/** A Deployment whose pods use a Secret in each way that pods can. */
export function withSecrets(name: string, secretName: string) {
  const made = deployment(name)
  const [container] = made.spec.template.spec.containers
  const secretKeyRef = { name: secretName, key: 'password' }
  const spec = {
    containers: [{ ...container, env: [{ name: 'PASSWORD', valueFrom: { secretKeyRef } }] }],
    volumes: [{ name: 'secret', secret: { secretName } }],
    imagePullSecrets: [{ name: secretName }],
  }
  return { ...made, spec: { ...made.spec, template: { ...made.spec.template, spec } } }
}

const KINDS: readonly (readonly [apiVersion: string, kind: string])[] = [
  ...(['ConfigMap', 'Secret', 'Service'] as const).map(kind => ['v1', kind] as const),
  ...(['Deployment', 'StatefulSet', 'DaemonSet'] as const).map(kind => ['apps/v1', kind] as const),
]

async function plantPolicies(post: (path: string, body: object) => Promise<unknown>): Promise<void> {
  const group = 'policy.karmada.io/v1alpha1'
  const metadata = { name: PLANTED }
  const resourceSelectors = KINDS.map(([apiVersion, kind]) => ({ apiVersion, kind }))
  await post(inGroup(group, 'propagationpolicies'), { metadata, spec: { resourceSelectors, placement: {} } })
  await post(inGroup(group, 'overridepolicies'), { metadata, spec: { overrideRules: [LABELLED] } })
  const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name: PLANTED }
  const spec = { resourceSelectors: [role] }
  await post(`/apis/${group}/clusterpropagationpolicies`, { metadata, spec: { ...spec, placement: {} } })
  await post(`/apis/${group}/clusteroverridepolicies`, {
    metadata,
    spec: { ...spec, overrideRules: [LABELLED] },
  })
}

/** An override that changes every manifest. */
export const LABELLED = {
  overriders: { labelsOverrider: [{ operator: 'add', value: { overridden: 'yes' } }] },
} as const

/** A Work that somebody applied, with Secrets in both of the fields that hold values. */
async function plantWork(karmada: Requests, member: string): Promise<void> {
  const namespace = `karmada-es-${member}`
  const secret = secretOf(PLANTED, 'Opaque', { password: newCanary() })
  const inPlace = { ...secret, metadata: { name: 'in-work', namespace: PLANTED } }
  const manifests = [{ ...inPlace, stringData: { token: newCanary() } }]
  await applied(karmada, `/apis/work.karmada.io/v1alpha1/namespaces/${namespace}/works`, {
    ...{ apiVersion: 'work.karmada.io/v1alpha1', kind: 'Work' },
    metadata: { name: PLANTED },
    ...{ spec: { workload: { manifests } } },
  })
}

/** Types of their own, and an object of each. */
async function plantBoats(api: Requests): Promise<void> {
  const post = (path: string, body: object) => api.request({ method: 'POST', path, body })
  const apiVersion = 'example.io/v1'
  for (const [plural, kind, scope] of [
    ['boats', 'Boat', 'Namespaced'],
    ['harbors', 'Harbor', 'Cluster'],
  ] as const) {
    await post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definitionOf(plural, kind, scope))
    const path = scope === 'Cluster' ? `/apis/${apiVersion}/${plural}` : inGroup(apiVersion, plural)
    const object = { apiVersion, kind, metadata: { name: PLANTED }, spec: { crew: 2 } }
    await eventually(`${plural} are served`, () => post(path, object))
  }
}

/** What only a member has: a Secret that somebody applied, and workloads that are not Karmada's. */
export async function plantInMember(member: Requests): Promise<void> {
  const there = { method: 'GET', path: `/api/v1/namespaces/${PLANTED}` } as const
  await eventually('the namespace is in the member', () => member.request(there))
  await plantBoats(member)
  await applied(member, `${core}/secrets`, secretOf(IN_MEMBER, 'Opaque', { password: newCanary() }))
  const old = withSecrets(IN_MEMBER, IN_MEMBER)
  await member.request({ method: 'POST', path: inGroup('apps/v1', 'deployments'), body: old })
}
