import { STORED_VERBS, type Subresource, type Subresources } from '../resource-definition.js'

/** One built-in kind: what discovery says of it, and the generated model its schema is made of. */
export interface BuiltinKind {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly plural: string
  readonly namespaced: boolean
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly verbs: readonly string[]
  readonly subresources: Subresources
  /** Name of the model in the generated file, e.g. `V1Pod`. */
  readonly model: string
}

interface Extras {
  readonly short?: readonly string[]
  readonly categories?: readonly string[]
  readonly sub?: Subresources
  readonly verbs?: readonly string[]
  readonly model?: string
  readonly plural?: string
}

const STATUS: Subresources = { status: true }
const SCALE: Subresources = {
  status: true,
  scale: {
    specReplicasPath: '.spec.replicas',
    statusReplicasPath: '.status.replicas',
    labelSelectorPath: '.spec.selector',
  },
}
const ALL = { categories: ['all'] } as const
const REVIEW = { verbs: ['create'] } as const
const WITHOUT_COLLECTION_DELETE = STORED_VERBS.filter(verb => verb !== 'deletecollection')

const subresource = (
  name: string,
  kind: string,
  verbs: string,
  group?: string,
  version?: string,
): Subresource => ({
  name,
  kind,
  verbs: verbs.split(','),
  ...(group === undefined || version === undefined ? {} : { group, version }),
})

/** `kind` lower-cased and pluralised, as the API server's REST mapper does. */
function pluralOf(kind: string): string {
  const lower = kind.toLowerCase()
  if (lower.endsWith('s')) return `${lower}es`
  return lower.endsWith('y') && !lower.endsWith('ay') ? `${lower.slice(0, -1)}ies` : `${lower}s`
}

const kindsOf =
  (group: string, version: string) =>
  (namespaced: boolean, kind: string, extras: Extras = {}): BuiltinKind => ({
    group,
    version,
    kind,
    plural: extras.plural ?? pluralOf(kind),
    namespaced,
    shortNames: extras.short ?? [],
    categories: extras.categories ?? [],
    verbs: extras.verbs ?? STORED_VERBS,
    subresources: extras.sub ?? {},
    model: extras.model ?? `${version.charAt(0).toUpperCase()}${version.slice(1)}${kind}`,
  })

const core = kindsOf('', 'v1')
const apps = kindsOf('apps', 'v1')
const batch = kindsOf('batch', 'v1')
const networking = kindsOf('networking.k8s.io', 'v1')
const rbac = kindsOf('rbac.authorization.k8s.io', 'v1')
const storage = kindsOf('storage.k8s.io', 'v1')
const admission = kindsOf('admissionregistration.k8s.io', 'v1')
const authorization = kindsOf('authorization.k8s.io', 'v1')

/** Every built-in kind, in the order of discovery. */
export const BUILTIN_KINDS: readonly BuiltinKind[] = [
  core(true, 'ConfigMap', { short: ['cm'] }),
  core(true, 'Endpoints', { short: ['ep'], plural: 'endpoints' }),
  core(true, 'Event', { short: ['ev'], model: 'CoreV1Event' }),
  core(true, 'LimitRange', { short: ['limits'] }),
  core(false, 'Namespace', {
    short: ['ns'],
    verbs: WITHOUT_COLLECTION_DELETE,
    sub: { status: true, others: [subresource('finalize', 'Namespace', 'update')] },
  }),
  core(false, 'Node', { short: ['no'], sub: STATUS }),
  core(true, 'PersistentVolumeClaim', { short: ['pvc'], sub: STATUS }),
  core(false, 'PersistentVolume', { short: ['pv'], sub: STATUS }),
  core(true, 'Pod', {
    short: ['po'],
    ...ALL,
    sub: {
      status: true,
      others: [
        subresource('binding', 'Binding', 'create'),
        subresource('eviction', 'Eviction', 'create', 'policy', 'v1'),
        subresource('attach', 'PodAttachOptions', 'create,get'),
        subresource('exec', 'PodExecOptions', 'create,get'),
        subresource('log', 'Pod', 'get'),
        subresource('portforward', 'PodPortForwardOptions', 'create,get'),
      ],
    },
  }),
  core(true, 'PodTemplate'),
  core(true, 'ReplicationController', { short: ['rc'], ...ALL, sub: SCALE }),
  core(true, 'ResourceQuota', { short: ['quota'], sub: STATUS }),
  core(true, 'Secret'),
  core(true, 'ServiceAccount', {
    short: ['sa'],
    sub: { others: [subresource('token', 'TokenRequest', 'create', 'authentication.k8s.io', 'v1')] },
  }),
  core(true, 'Service', { short: ['svc'], ...ALL, sub: STATUS }),
  admission(false, 'MutatingWebhookConfiguration'),
  admission(false, 'ValidatingAdmissionPolicy', { plural: 'validatingadmissionpolicies', sub: STATUS }),
  admission(false, 'ValidatingAdmissionPolicyBinding'),
  admission(false, 'ValidatingWebhookConfiguration'),
  kindsOf('apiextensions.k8s.io', 'v1')(false, 'CustomResourceDefinition', {
    short: ['crd', 'crds'],
    categories: ['api-extensions'],
    sub: STATUS,
  }),
  kindsOf('apiregistration.k8s.io', 'v1')(false, 'APIService', {
    categories: ['api-extensions'],
    sub: STATUS,
  }),
  apps(true, 'ControllerRevision'),
  apps(true, 'DaemonSet', { short: ['ds'], ...ALL, sub: STATUS }),
  apps(true, 'Deployment', { short: ['deploy'], ...ALL, sub: SCALE }),
  apps(true, 'ReplicaSet', { short: ['rs'], ...ALL, sub: SCALE }),
  apps(true, 'StatefulSet', { short: ['sts'], ...ALL, sub: SCALE }),
  kindsOf('authentication.k8s.io', 'v1')(false, 'SelfSubjectReview', REVIEW),
  kindsOf('authentication.k8s.io', 'v1')(false, 'TokenReview', REVIEW),
  authorization(true, 'LocalSubjectAccessReview', REVIEW),
  authorization(false, 'SelfSubjectAccessReview', REVIEW),
  authorization(false, 'SelfSubjectRulesReview', REVIEW),
  authorization(false, 'SubjectAccessReview', REVIEW),
  kindsOf('autoscaling', 'v2')(true, 'HorizontalPodAutoscaler', { short: ['hpa'], ...ALL, sub: STATUS }),
  batch(true, 'CronJob', { short: ['cj'], ...ALL, sub: STATUS }),
  batch(true, 'Job', { ...ALL, sub: STATUS }),
  kindsOf('certificates.k8s.io', 'v1')(false, 'CertificateSigningRequest', {
    short: ['csr'],
    sub: { status: true, others: [subresource('approval', 'CertificateSigningRequest', 'get,patch,update')] },
  }),
  kindsOf('coordination.k8s.io', 'v1')(true, 'Lease'),
  kindsOf('discovery.k8s.io', 'v1')(true, 'EndpointSlice'),
  kindsOf('events.k8s.io', 'v1')(true, 'Event', { short: ['ev'], model: 'EventsV1Event' }),
  networking(false, 'IngressClass'),
  networking(true, 'Ingress', { short: ['ing'], sub: STATUS }),
  networking(true, 'NetworkPolicy', { short: ['netpol'] }),
  kindsOf('policy', 'v1')(true, 'PodDisruptionBudget', { short: ['pdb'], sub: STATUS }),
  rbac(false, 'ClusterRoleBinding'),
  rbac(false, 'ClusterRole'),
  rbac(true, 'RoleBinding'),
  rbac(true, 'Role'),
  kindsOf('scheduling.k8s.io', 'v1')(false, 'PriorityClass', { short: ['pc'] }),
  storage(false, 'CSIDriver'),
  storage(false, 'CSINode'),
  storage(false, 'StorageClass', { short: ['sc'] }),
  storage(false, 'VolumeAttachment', { sub: STATUS }),
]
