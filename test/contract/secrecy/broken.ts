import { stringify } from 'yaml'
import { toBase64 } from '../../../playground/client/kubeconfig.js'
import { newCanary } from './secret-values.js'

/** A server that nothing listens on. */
const NOWHERE = 'https://127.0.0.1:9'

interface Parts {
  readonly cluster?: object
  readonly user?: object
  readonly context?: object
  readonly current?: string
}
const kubeconfig = ({ cluster = {}, user = {}, context = {}, current = 'it' }: Parts) =>
  stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': current,
    clusters: [{ name: 'it', cluster: { server: NOWHERE, 'insecure-skip-tls-verify': true, ...cluster } }],
    users: [{ name: 'it', user }],
    contexts: [{ name: 'it', context: { cluster: 'it', user: 'it', ...context } }],
  })

/**
 * Texts with a secret in them that are no kubeconfig, or one that cannot be used: an Instance may name any key of any Secret, and
 * a caller may send anything.
 * @param server a real API server, which refuses the credentials
 */
export function brokenKubeconfigs(server: string): ReadonlyMap<string, string> {
  const pem = toBase64(`-----BEGIN PRIVATE KEY-----\n${toBase64(newCanary())}\n-----END PRIVATE KEY-----\n`)
  const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: newCanary(), args: [newCanary()] }
  const c = newCanary
  return new Map([
    ['password', c()],
    ['list', `- ${c()}`],
    ['alias', `a: *${c()}`],
    ['anchor', `a: &${c()} 1\nb: *${c()}`],
    ['tag', `a: !${c()} 1`],
    ['handle', `a: !${c()}!b 1`],
    ['directive', `%${c()} 1\n---\na: 1`],
    ['quote', `a: "${c()}`],
    ['escape', `a: "\\${c()}"`],
    ['flow', `{a: [${c()}`],
    ['tab', `a:\n\t${c()}: 1`],
    ['twice', `${c()}: 1\n`.repeat(2)],
    ['documents', `${c()}\n---\n${c()}`],
    ['json', JSON.stringify({ [c()]: c() })],
    ['half-json', `{"password": "${c()}", `],
    ['binary', `\u0000${c()}`],
    ['current', kubeconfig({ current: c() })],
    ['dangling-user', kubeconfig({ context: { user: c() } })],
    ['dangling-cluster', kubeconfig({ context: { cluster: c() } })],
    ['server', kubeconfig({ cluster: { server: c() } })],
    ['scheme', kubeconfig({ cluster: { server: `ftp://${c()}` } })],
    ['server-login', kubeconfig({ cluster: { server: `https://me:${c()}@127.0.0.1:9` } })],
    ['server-query', kubeconfig({ cluster: { server: `${NOWHERE}/?token=${c()}#${c()}` } })],
    ['server-list', kubeconfig({ cluster: { server: [c()] } })],
    ['proxy-url', kubeconfig({ cluster: { 'proxy-url': `http://me:${c()}@127.0.0.1:9` } })],
    [
      'authority',
      kubeconfig({ cluster: { 'insecure-skip-tls-verify': false, 'certificate-authority-data': c() } }),
    ],
    ['key', kubeconfig({ user: { 'client-certificate-data': pem, 'client-key-data': pem } })],
    ['key-alone', kubeconfig({ user: { 'client-key-data': pem } })],
    ['key-file', kubeconfig({ user: { 'client-certificate': c(), 'client-key': c() } })],
    ['token-list', kubeconfig({ user: { token: [c()] } })],
    ['token-file', kubeconfig({ user: { tokenFile: `/${c()}` } })],
    ['token-lines', kubeconfig({ cluster: { server }, user: { token: `${c()}\n${c()}` } })],
    ['token-letters', kubeconfig({ cluster: { server }, user: { token: `${c()}ü\u{1f600}` } })],
    ['token-refused', kubeconfig({ cluster: { server }, user: { token: c() } })],
    ['login-refused', kubeconfig({ cluster: { server }, user: { username: 'me', password: c() } })],
    ['login-nowhere', kubeconfig({ user: { username: 'me', password: c() } })],
    [
      'as',
      kubeconfig({
        cluster: { server },
        user: { as: 'me', 'as-uid': c(), 'as-user-extra': { [c()]: [c()] } },
      }),
    ],
    ['exec', kubeconfig({ user: { exec: { ...exec, env: [{ name: 'TOKEN', value: c() }] } } })],
    ['exec-list', kubeconfig({ user: { exec: [c()] } })],
    [
      'provider',
      kubeconfig({ user: { 'auth-provider': { name: 'oidc', config: { 'id-token': c(), [c()]: {} } } } }),
    ],
  ])
}

/** Texts whose secrets are values: the names of fields are none, and API servers say which they do not know. */
const WITHOUT_FIELDS: ReadonlySet<string> = new Set([
  ...['password', 'list', 'alias', 'anchor', 'tag', 'handle', 'directive', 'quote', 'escape', 'flow'],
  ...['documents', 'half-json', 'binary'],
])

/** Manifests with a secret that no API server accepts, each wrong in another way. */
export function brokenManifests(kind: string, name: string): readonly string[] {
  const secret = (more: object) => JSON.stringify({ apiVersion: 'v1', kind, metadata: { name }, ...more })
  const c = newCanary
  return [
    secret({ data: { password: `${c()}!` } }),
    secret({ data: { password: [c()] } }),
    secret({ data: { password: { deeper: c() } } }),
    secret({ data: [c()] }),
    secret({ data: c(), stringData: c() }),
    secret({ stringData: { password: [c()] } }),
    secret({ stringData: { password: { deeper: c() } } }),
    secret({ stringData: { [`not a key ${c().slice(0, 3)}`]: c() } }),
    secret({ type: 'kubernetes.io/dockerconfigjson', stringData: { '.dockerconfigjson': c() } }),
    secret({ type: 'kubernetes.io/tls', stringData: { 'tls.key': c() } }),
    secret({ spec: { password: c() }, data: { password: 1 } }),
    ...[...brokenKubeconfigs(NOWHERE)].filter(([name]) => WITHOUT_FIELDS.has(name)).map(([, text]) => text),
    `apiVersion: v1\nkind: ${kind}\nmetadata: {name: ${name}}\ndata: {password: *${c()}}\n`,
    `apiVersion: v1\nkind: ${kind}\nmetadata: {name: ${name}}\ndata: {password: !${c()} x}\n`,
    `apiVersion: v1\nkind: ${kind}\nmetadata: {name: ${name}}\nstringData: {password: "${c()}\n`,
    `[{"op":"test","path":"/data/password","value":"${c()}"}]`,
    `[{"op":"add","path":"/data/password/deeper","value":"${c()}"}]`,
    `[{"op":"replace","path":"/data","value":"${c()}"}]`,
  ]
}
