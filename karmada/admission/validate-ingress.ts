import { dns1035Label, dns1123Subdomain, pathSegmentName, portName } from '../../manifests/name-format.js'
import { invalidField, notSupportedField, requiredField } from './field-refusal.js'

interface Backend {
  readonly service?: {
    readonly name?: string
    readonly port?: { readonly name?: string; readonly number?: number }
  }
  readonly resource?: { readonly apiGroup?: string; readonly kind?: string; readonly name?: string }
}

interface HttpPath {
  readonly path?: string
  readonly pathType?: string
  readonly backend: Backend
}

/** networking/v1 IngressSpec, which a MultiClusterIngress has. */
export interface IngressSpec {
  readonly ingressClassName?: string
  readonly defaultBackend?: Backend
  readonly rules?: readonly {
    readonly host?: string
    readonly http?: { readonly paths?: readonly HttpPath[] }
  }[]
  readonly tls?: readonly { readonly hosts?: readonly string[]; readonly secretName?: string }[]
}

const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix']
const [NEVER_WITHIN, NEVER_LAST] = [
  ['//', '/./', '/../', '%2f', '%2F'],
  ['/..', '/.'],
] as const
const IP = /^(\d{1,3}\.){3}\d{1,3}$|:/
const WILDCARD = /^\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
const WILDCARD_MESSAGE =
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"

/** Why an Ingress is refused (the checks of Kubernetes, which Karmada has of its own). */
export function ingressRefusals(spec: IngressSpec): readonly string[] {
  const { rules = [], tls = [], defaultBackend, ingressClassName } = spec
  const neither = 'either `defaultBackend` or `rules` must be specified'
  return [
    ...(rules.length === 0 && !defaultBackend ? [invalidField('spec', spec.rules ?? null, neither)] : []),
    ...(defaultBackend ? backendRefusals(defaultBackend, 'spec.defaultBackend') : []),
    ...rules.flatMap(({ host = '', http }, at) => [
      ...hostRefusals(host, `spec.rules[${at}].host`),
      ...(http ? httpRefusals(http.paths, `spec.rules[${at}].http.paths`) : []),
    ]),
    ...tls.flatMap(({ hosts = [], secretName = '' }, at) => [
      ...hosts.flatMap((host, index) => nameRefusals(host, `spec.tls[${at}].hosts[${index}]`)),
      ...(secretName
        ? dns1123Subdomain(secretName).map(why => invalidField(`spec.tls[${at}].secretName`, secretName, why))
        : []),
    ]),
    ...(ingressClassName === undefined
      ? []
      : dns1123Subdomain(ingressClassName).map(why =>
          invalidField('spec.ingressClassName', ingressClassName, why),
        )),
  ]
}

function hostRefusals(host: string, path: string): readonly string[] {
  if (host === '') return []
  const address = IP.test(host) ? [invalidField(path, host, 'must be a DNS name, not an IP address')] : []
  return [...address, ...nameRefusals(host, path)]
}

function nameRefusals(host: string, path: string): readonly string[] {
  if (!host.includes('*')) return dns1123Subdomain(host).map(why => invalidField(path, host, why))
  return WILDCARD.test(host) ? [] : [invalidField(path, host, WILDCARD_MESSAGE)]
}

function httpRefusals(paths: readonly HttpPath[] = [], at: string): readonly string[] {
  if (paths.length === 0) return [requiredField(at, '')]
  return paths.flatMap((one, index) => pathRefusals(one, `${at}[${index}]`))
}

function pathRefusals({ path = '', pathType, backend }: HttpPath, at: string): readonly string[] {
  if (pathType === undefined) return [requiredField(`${at}.pathType`, 'pathType must be specified')]
  const refusal = (why: string) => invalidField(`${at}.path`, path, why)
  const isStrict = pathType === 'Exact' || pathType === 'Prefix'
  const isRelative = !path.startsWith('/') && (isStrict || path !== '')
  const wrong = PATH_TYPES.includes(pathType)
    ? [
        ...(isRelative ? [refusal('must be an absolute path')] : []),
        ...(isStrict
          ? [
              ...NEVER_WITHIN.filter(one => path.includes(one)).map(one =>
                refusal(`must not contain '${one}'`),
              ),
              ...NEVER_LAST.filter(one => path.endsWith(one)).map(one => refusal(`cannot end with '${one}'`)),
            ]
          : []),
      ]
    : [notSupportedField(`${at}.pathType`, pathType, PATH_TYPES)]
  return [...wrong, ...backendRefusals(backend, `${at}.backend`)]
}

function backendRefusals({ service, resource }: Backend, path: string): readonly string[] {
  if (service && resource) return [invalidField(path, '', 'cannot set both resource and service backends')]
  if (resource) return resourceRefusals(resource, `${path}.resource`)
  if (!service) return [invalidField(path, '', 'resource or service backend is required')]
  const { name = '', port: { name: portText = '', number = 0 } = {} } = service
  const at = `${path}.service`
  return [
    ...(name === ''
      ? [requiredField(`${at}.name`, '')]
      : dns1035Label(name).map(why => invalidField(`${at}.name`, name, why))),
    ...(portText && number ? [invalidField(path, '', 'cannot set both port name & port number')] : []),
    ...(portText && !number
      ? portName(portText).map(why => invalidField(`${at}.port.name`, portText, why))
      : []),
    ...(number && !portText && (number < 1 || number > 65_535)
      ? [invalidField(`${at}.port.number`, number, 'must be between 1 and 65535, inclusive')]
      : []),
    ...(!portText && !number ? [requiredField(path, 'port name or number is required')] : []),
  ]
}

function resourceRefusals(
  { apiGroup, kind = '', name = '' }: NonNullable<Backend['resource']>,
  path: string,
): readonly string[] {
  const group = apiGroup === undefined ? [] : dns1123Subdomain(apiGroup)
  return [
    ...group.map(why => invalidField(`${path}.apiGroup`, apiGroup, why)),
    ...Object.entries({ kind, name }).flatMap(([field, value]) =>
      value === ''
        ? [requiredField(`${path}.${field}`, `${field} is required`)]
        : pathSegmentName(value).map(why => invalidField(`${path}.${field}`, value, why)),
    ),
  ]
}
