import { CommandError, ExitCode } from './exit-code.js'

/** An object as a command line names it. */
export interface ObjectArgument {
  readonly apiVersion: string
  readonly kind: string
  /** Empty for objects without a namespace. */
  readonly namespace: string
  readonly name: string
}

/** Kinds that need no apiVersion on a command line: those that people propagate most. */
const BUILT_IN: Readonly<Record<string, readonly [apiVersion: string, kind: string]>> = {
  deployment: ['apps/v1', 'Deployment'],
  statefulset: ['apps/v1', 'StatefulSet'],
  daemonset: ['apps/v1', 'DaemonSet'],
  job: ['batch/v1', 'Job'],
  cronjob: ['batch/v1', 'CronJob'],
  service: ['v1', 'Service'],
  configmap: ['v1', 'ConfigMap'],
  secret: ['v1', 'Secret'],
  serviceaccount: ['v1', 'ServiceAccount'],
  persistentvolumeclaim: ['v1', 'PersistentVolumeClaim'],
  pod: ['v1', 'Pod'],
  ingress: ['networking.k8s.io/v1', 'Ingress'],
  namespace: ['v1', 'Namespace'],
  clusterrole: ['rbac.authorization.k8s.io/v1', 'ClusterRole'],
}

const WITHOUT_NAMESPACE: ReadonlySet<string> = new Set(['Namespace', 'ClusterRole'])

/** The short names that kubectl has for these kinds. */
const SHORT_NAMES: Readonly<Record<string, string>> = {
  deploy: 'deployment',
  sts: 'statefulset',
  ds: 'daemonset',
  cj: 'cronjob',
  svc: 'service',
  cm: 'configmap',
  sa: 'serviceaccount',
  pvc: 'persistentvolumeclaim',
  po: 'pod',
  ing: 'ingress',
  ns: 'namespace',
}

/**
 * Reads `deploy shop/web`, `deployment shop/web`, `deployments shop/web` or `example.io/v1/Rig shop/one`.
 * @throws CommandError for a type or name that cannot be read
 */
export function objectArgument(type: string, object: string): ObjectArgument {
  const [name = '', namespace = '', ...more] = object.split('/').reverse()
  if (name === '' || more.length > 0 || (object.includes('/') && namespace === ''))
    throw new CommandError(
      `expected namespace/name, or the name of an object without a namespace, got ${JSON.stringify(object)}`,
      ExitCode.usage,
    )
  const kind = typeArgument(type)
  if (namespace === '' && isNamespaced(kind))
    throw new CommandError(
      `a ${kind.kind} has a namespace: write NAMESPACE/NAME, for example default/${name}`,
      ExitCode.usage,
    )
  return { ...kind, namespace, name }
}

/** Of kinds that are not built in, only the server knows. */
const isNamespaced = ({ apiVersion, kind }: Pick<ObjectArgument, 'apiVersion' | 'kind'>): boolean =>
  Object.values(BUILT_IN).some(([version, one]) => version === apiVersion && one === kind) &&
  !WITHOUT_NAMESPACE.has(kind)

function typeArgument(type: string): Pick<ObjectArgument, 'apiVersion' | 'kind'> {
  const at = type.lastIndexOf('/')
  if (at > 0 && at < type.length - 1) return { apiVersion: type.slice(0, at), kind: type.slice(at + 1) }
  const [apiVersion, kind] = BUILT_IN[kindWord(type)] ?? []
  if (apiVersion && kind) return { apiVersion, kind }
  throw new CommandError(
    `the type ${JSON.stringify(type)} is not known here: write one of ${Object.keys(BUILT_IN).join(', ')}, or name it with its apiVersion, as in example.io/v1/Rig`,
    ExitCode.usage,
  )
}

/** `deployment` of `deployments`, `Deployment` and `deploy`. */
export function kindWord(type: string): string {
  const word = type.toLowerCase()
  return SHORT_NAMES[word] ?? (BUILT_IN[word] ? word : singular(word))
}

const singular = (word: string): string =>
  word
    .replace(/ies$/, 'y')
    .replace(/(ss)es$/, '$1')
    .replace(/([^s])s$/, '$1')
