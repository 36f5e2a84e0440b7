import { dns1123Label, labelValue, qualifiedName } from '../../../../manifests/name-format.js'
import {
  child,
  duplicate,
  type FieldError,
  fieldError,
  index,
  invalid,
  notSupported,
  required,
} from '../../field-error.js'
import { at, has, isObject, type Json, type JsonObject, listAt, objectAt, stringAt } from '../../json.js'
import { compareQuantities } from '../../quantity-value.js'
import { fill } from './status-subresource.js'

/** Image names without a tag, and `latest`, are pulled always. */
const pullPolicy = (image: string): string => {
  const name = image.split('@')[0] ?? ''
  const tag = /:([^/:]+)$/.exec(name)?.[1]
  return image.includes('@') || (tag !== undefined && tag !== 'latest') ? 'IfNotPresent' : 'Always'
}

function containerDefaults(container: Json): Json {
  if (!isObject(container)) return container
  return fill(container, { imagePullPolicy: pullPolicy(stringAt(container, 'image')) })
}

/** A volume that does not say where it comes from is an empty directory. */
const volumeDefaults = (volume: Json): Json =>
  isObject(volume) && Object.keys(volume).every(key => key === 'name') ? { ...volume, emptyDir: {} } : volume

/** Defaults of a pod spec that depend on its other fields. */
export function podSpecDefaults(spec: JsonObject): JsonObject {
  const account = stringAt(spec, 'serviceAccountName') || stringAt(spec, 'serviceAccount')
  let result: JsonObject = spec
  for (const key of ['containers', 'initContainers', 'ephemeralContainers']) {
    const list = listAt(spec, key)
    if (list.length > 0) result = { ...result, [key]: list.map(containerDefaults) }
  }
  const volumes = listAt(spec, 'volumes')
  if (volumes.length > 0) result = { ...result, volumes: volumes.map(volumeDefaults) }
  return account === '' ? result : { ...result, serviceAccountName: account, serviceAccount: account }
}

/** Requests follow limits where only those are given; so the scheduler sees what the container may use. */
export function podDefaults(spec: JsonObject): JsonObject {
  const filled = fill(podSpecDefaults(spec), { enableServiceLinks: true })
  const containers = listAt(filled, 'containers').map(container => {
    const limits = objectAt(container, 'resources', 'limits')
    if (!isObject(container) || Object.keys(limits).length === 0) return container
    const requests = { ...limits, ...objectAt(container, 'resources', 'requests') }
    return { ...container, resources: { ...objectAt(container, 'resources'), requests } }
  })
  return containers.length === 0 ? filled : { ...filled, containers }
}

const PROTOCOLS = ['SCTP', 'TCP', 'UDP']
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None']
const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never']

/** What is refused of a pod spec. @param restartPolicies those the owning kind allows */
export function podSpecErrors(
  spec: JsonObject,
  path: string,
  restartPolicies: readonly string[] = ['Always', 'OnFailure', 'Never'],
): FieldError[] {
  const volumes = listAt(spec, 'volumes')
  const volumeNames = new Set<string>()
  const errors = volumes.flatMap((volume, at) => {
    const field = index(child(path, 'volumes'), at)
    const name = stringAt(volume, 'name')
    const wrong = volumeErrors(volume, field)
    if (volumeNames.has(name)) wrong.push(duplicate(child(field, 'name'), name))
    // A volume that is refused cannot be mounted either, and its name is not taken.
    if (wrong.length === 0) volumeNames.add(name)
    return wrong
  })
  const containers = listAt(spec, 'containers')
  if (containers.length === 0) errors.push(required(child(path, 'containers')))
  for (const key of ['containers', 'initContainers']) {
    const list = listAt(spec, key)
    list.forEach((container, at) => {
      errors.push(...containerErrors(container, index(child(path, key), at), volumeNames))
    })
    // The names of init containers are those of containers, too.
    const earlier = key === 'initContainers' ? containers : []
    errors.push(...repeatedNames(list, child(path, key), earlier))
  }
  const restartPolicy = stringAt(spec, 'restartPolicy')
  if (!restartPolicies.includes('Always') && (restartPolicy === '' || restartPolicy === 'Always')) {
    const valid = restartPolicies.map(policy => JSON.stringify(policy)).join(', ')
    errors.push(required(child(path, 'restartPolicy'), `valid values: ${valid}`))
  } else if (restartPolicy !== '' && !restartPolicies.includes(restartPolicy)) {
    errors.push(notSupported(child(path, 'restartPolicy'), restartPolicy, restartPolicies))
  }
  const dnsPolicy = stringAt(spec, 'dnsPolicy')
  if (dnsPolicy !== '' && !DNS_POLICIES.includes(dnsPolicy)) {
    errors.push(notSupported(child(path, 'dnsPolicy'), dnsPolicy, DNS_POLICIES))
  }
  for (const [key, value] of Object.entries(objectAt(spec, 'nodeSelector'))) {
    const field = child(path, 'nodeSelector')
    errors.push(...qualifiedName(key).map(one => invalid(field, key, one)))
    errors.push(...labelValue(String(value)).map(one => invalid(field, value, one)))
  }
  return errors
}

function repeatedNames(list: readonly Json[], path: string, earlier: readonly Json[] = []): FieldError[] {
  const seen = new Set(earlier.map(one => stringAt(one, 'name')))
  return list.flatMap((one, at) => {
    const name = stringAt(one, 'name')
    if (name === '' || !seen.has(name)) {
      seen.add(name)
      return []
    }
    return [duplicate(child(index(path, at), 'name'), name)]
  })
}

function labelName(name: string, path: string): FieldError[] {
  if (name === '') return [required(path)]
  return dns1123Label(name).map(complaint => invalid(path, name, complaint))
}

function volumeErrors(volume: Json, path: string): FieldError[] {
  const errors = labelName(stringAt(volume, 'name'), child(path, 'name'))
  const sources = isObject(volume) ? Object.keys(volume).filter(key => key !== 'name') : []
  // Of several sources Kubernetes takes the first in the order of its own checks, which begin with this one.
  sources.sort((a, b) => Number(b === 'emptyDir') - Number(a === 'emptyDir'))
  if (sources.length === 0) errors.push(required(path, 'must specify a volume type'))
  if (at(volume, 'configMap') !== undefined && stringAt(volume, 'configMap', 'name') === '')
    errors.push(required(child(path, 'configMap.name')))
  for (const extra of sources.slice(1)) {
    errors.push(
      fieldError('FieldValueForbidden', child(path, extra), '', 'may not specify more than 1 volume type'),
    )
  }
  return errors
}

function containerErrors(container: Json, path: string, volumes: ReadonlySet<string>): FieldError[] {
  const errors = labelName(stringAt(container, 'name'), child(path, 'name'))
  const image = stringAt(container, 'image')
  if (image === '') errors.push(required(child(path, 'image')))
  else if (image !== image.trim()) {
    errors.push(invalid(child(path, 'image'), image, 'must not have leading or trailing whitespace'))
  }
  const policy = stringAt(container, 'imagePullPolicy')
  if (policy !== '' && !PULL_POLICIES.includes(policy)) {
    errors.push(notSupported(child(path, 'imagePullPolicy'), policy, PULL_POLICIES))
  }
  listAt(container, 'ports').forEach((port, at) => {
    errors.push(...containerPortErrors(port, index(child(path, 'ports'), at)))
  })
  errors.push(...repeatedNames(listAt(container, 'ports'), child(path, 'ports')))
  listAt(container, 'env').forEach((variable, at) => {
    const field = child(index(child(path, 'env'), at), 'name')
    if (stringAt(variable, 'name') === '') errors.push(required(field))
  })
  const mounts = listAt(container, 'volumeMounts')
  mounts.forEach((mount, at) => {
    const field = index(child(path, 'volumeMounts'), at)
    errors.push(...mountErrors(mount, field, volumes))
    const mountPath = stringAt(mount, 'mountPath')
    if (mounts.slice(0, at).some(other => stringAt(other, 'mountPath') === mountPath))
      errors.push(invalid(child(field, 'mountPath'), mountPath, 'must be unique'))
  })
  const resources = objectAt(container, 'resources')
  return [
    ...errors,
    ...resourceErrors(resources, child(path, 'resources')),
    ...limitErrors(resources, child(path, 'resources')),
  ]
}

function containerPortErrors(port: Json, path: string): FieldError[] {
  const errors: FieldError[] = []
  const protocol = stringAt(port, 'protocol')
  errors.push(...portNumberErrors(at(port, 'containerPort'), child(path, 'containerPort')))
  if (protocol === '') errors.push(required(child(path, 'protocol')))
  else if (!PROTOCOLS.includes(protocol)) {
    errors.push(notSupported(child(path, 'protocol'), protocol, PROTOCOLS))
  }
  return errors
}

/** A port number between 1 and 65535. */
export function portNumberErrors(port: Json | undefined, path: string): FieldError[] {
  if (port === undefined || port === 0) return [required(path)]
  return typeof port === 'number' && port >= 1 && port <= 65535
    ? []
    : [invalid(path, port, 'must be between 1 and 65535, inclusive')]
}

function mountErrors(mount: Json, path: string, volumes: ReadonlySet<string>): FieldError[] {
  const name = stringAt(mount, 'name')
  const errors: FieldError[] = []
  if (name === '') errors.push(required(child(path, 'name')))
  else if (!volumes.has(name)) errors.push(fieldError('FieldValueNotFound', child(path, 'name'), name, ''))
  if (stringAt(mount, 'mountPath') === '') errors.push(required(child(path, 'mountPath')))
  return errors
}

function resourceErrors(resources: JsonObject, path: string): FieldError[] {
  return (['limits', 'requests'] as const).flatMap(kind =>
    Object.entries(objectAt(resources, kind)).flatMap(([name, quantity]) => {
      const field = index(child(path, kind), name)
      const named =
        name === 'cpu' || name === 'memory' || has(resources, name) ? [] : resourceNameErrors(name, field)
      if (typeof quantity === 'string' && quantity.startsWith('-')) {
        return [...named, invalid(field, quantity, 'must be greater than or equal to 0')]
      }
      return named
    }),
  )
}

/** Nothing may be requested beyond what may be used. */
const limitErrors = (resources: JsonObject, path: string): FieldError[] =>
  Object.entries(objectAt(resources, 'requests')).flatMap(([name, request]) => {
    const limit = at(resources, 'limits', name)
    if (typeof limit !== 'string' || compareQuantities(String(request), limit) <= 0) return []
    return [
      invalid(child(path, 'requests'), request, `must be less than or equal to ${name} limit of ${limit}`),
    ]
  })

const resourceNameErrors = (name: string, path: string): FieldError[] =>
  qualifiedName(name).map(complaint => invalid(path, name, complaint))

/** What is wrong with the pods that an object makes of its template. */
export function templateErrors(
  object: JsonObject,
  restartPolicies: readonly string[] = ['Always'],
): FieldError[] {
  return podSpecErrors(objectAt(object, 'spec', 'template', 'spec'), 'spec.template.spec', restartPolicies)
}
