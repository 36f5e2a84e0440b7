import { CommandError, ExitCode } from '../exit-code.js'
import { didYouMean } from './did-you-mean.js'

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

/** Those of them whose objects are in no namespace. */
const WITHOUT_NAMESPACE: ReadonlySet<string> = new Set(['Namespace', 'ClusterRole'])

/** The short names that kubectl has for these kinds, and for Karmada's policies. */
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
  pp: 'propagationpolicy',
  cpp: 'clusterpropagationpolicy',
  op: 'overridepolicy',
  cop: 'clusteroverridepolicy',
}

/**
 * Reads `deploy shop/web`, `deployment shop/web`, `deployments shop/web`, `deployment/web` with a namespace apart, or
 * `example.io/v1/Rig shop/one`.
 * @param object empty where `type` has both, as kubectl writes them
 * @param inNamespace from -n, for an object that is named without
 * @throws CommandError for a type or name that cannot be read, and for an object of which the namespace is missing
 */
export function objectArgument(given: string, object: string, inNamespace?: string): ObjectArgument {
  const slash = given.indexOf('/')
  if (object === '' && slash > 0)
    return objectArgument(given.slice(0, slash), given.slice(slash + 1) || '/', inNamespace)
  if (object === '')
    throw usage(
      `name the object as well as its type: TYPE/NAME, for example ${BUILT_IN[SHORT_NAMES[given] ?? given] ? `${given}/web` : `deployment/${given}`}`,
    )
  const [name = '', namespace = '', ...more] = object.split('/').reverse()
  if (name === '' || more.length > 0 || (object.includes('/') && namespace === ''))
    throw usage(
      `expected NAMESPACE/NAME, or the name of an object without a namespace, got ${JSON.stringify(object)}`,
    )
  if (namespace && inNamespace && namespace !== inNamespace)
    throw usage(`${object} names the namespace ${namespace}, and --namespace another: ${inNamespace}`)
  const type = typeArgument(given)
  const where = WITHOUT_NAMESPACE.has(type.kind) ? namespace : namespace || inNamespace || ''
  if (where === '' && isNamespaced(type))
    throw usage(
      `a ${type.kind} has a namespace: write NAMESPACE/NAME, for example default/${name}, or add -n NAMESPACE`,
    )
  return { ...type, namespace: where, name }
}

/** Of kinds that are not built in, only the server knows. */
const isNamespaced = ({ apiVersion, kind }: Pick<ObjectArgument, 'apiVersion' | 'kind'>): boolean =>
  Object.values(BUILT_IN).some(([version, one]) => version === apiVersion && one === kind) &&
  !WITHOUT_NAMESPACE.has(kind)

/** The kind that a word stands for, in lower case: `deployment` for `deploy`, `Deployments` and `deployments.apps`. */
export function kindWord(type: string): string {
  const [given = ''] = type.toLowerCase().split('.')
  return SHORT_NAMES[given] ?? singular(given)
}

function typeArgument(type: string): Pick<ObjectArgument, 'apiVersion' | 'kind'> {
  const at = type.lastIndexOf('/')
  if (at > 0 && at < type.length - 1) return { apiVersion: type.slice(0, at), kind: type.slice(at + 1) }
  const [apiVersion, kind] = BUILT_IN[kindWord(type)] ?? []
  if (apiVersion && kind) return { apiVersion, kind }
  const known = Object.keys(BUILT_IN)
  throw usage(
    `the type ${JSON.stringify(type)} is not known here${didYouMean(type.toLowerCase(), known)}: write one of ${known.join(', ')}, or name it with its apiVersion, as in example.io/v1/Rig`,
  )
}

/** `policies`, `ingresses` and `deployments` without their plural. */
const singular = (word: string): string =>
  word
    .replace(/ies$/, 'y')
    .replace(/(ss)es$/, '$1')
    .replace(/([^s])s$/, '$1')

const usage = (message: string): CommandError => new CommandError(message, ExitCode.usage)
