import { type ApiResponse, plainText } from '../wire/exchange.js'

/** The checks that each endpoint has, in the words of kube-apiserver. */
const CHECKS: Readonly<Record<string, readonly string[]>> = {
  healthz: ['ping', 'log', 'etcd', 'poststarthook/rbac/bootstrap-roles'],
  livez: ['ping', 'log', 'etcd', 'poststarthook/rbac/bootstrap-roles'],
  readyz: ['ping', 'log', 'etcd', 'informer-sync', 'poststarthook/rbac/bootstrap-roles', 'shutdown'],
}

/** /healthz, /livez, /readyz, one check of them (`/readyz/ping`), and their verbose form; undefined for other paths. */
export function health(path: string, query: URLSearchParams): ApiResponse | undefined {
  const [, endpoint = '', ...rest] = path.split('/')
  const checks = Object.hasOwn(CHECKS, endpoint) ? CHECKS[endpoint] : undefined
  if (!checks) return undefined
  const single = rest.join('/')
  if (single !== '') return checks.includes(single) ? plainText(200, 'ok') : undefined
  if (!query.has('verbose')) return plainText(200, 'ok')
  const excluded = new Set(query.getAll('exclude'))
  const lines = checks.map(check => (excluded.has(check) ? `[+]${check} excluded: ok` : `[+]${check} ok`))
  return plainText(200, `${lines.join('\n')}\n${endpoint} check passed\n`)
}
