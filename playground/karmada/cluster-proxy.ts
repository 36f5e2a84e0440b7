import { type IncomingMessage, request as insecureRequest } from 'node:http'
import { type RequestOptions, request as secureRequest } from 'node:https'
import { CLUSTERS, type Cluster } from '../../karmada/objects/cluster.js'
import type { KubeApi } from '../../ports/kube-api.js'
import { customStatus, notFound } from '../apiserver/api-status.js'
import type { AggregatedHandler, AggregatedRequest } from '../apiserver/catalogue/aggregation.js'
import type { ApiRequest, ApiResponse } from '../apiserver/wire/exchange.js'
import { fromBase64 } from '../client/kubeconfig.js'
import { read } from '../client/write.js'
import type { Secret } from '../objects/core.js'
import { SECRETS } from '../objects/core-types.js'

/** Headers that belong to one connection, or that the proxy decides itself. */
const NOT_PASSED_ON = new Set([
  'authorization',
  'connection',
  'host',
  'keep-alive',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
])
/** Karmada drops the groups everybody is in: the member decides for itself who is authenticated. */
const EVERYBODY = new Set(['system:authenticated', 'system:unauthenticated'])

/** A failure Karmada answers without a reason: its proxy has no words of its own for it. */
const proxyError = (message: string) => customStatus(500, '', message)

/** `clusters/{name}/proxy/…` */
export const clusterProxy =
  (control: KubeApi): AggregatedHandler =>
  request =>
    passToMember(control, request.info.name, request, pathBehindProxy(request))

/**
 * Passes a request on to a member, as the impersonator account that acts for the caller. Upgraded connections (exec,
 * port-forward) are passed through as they are.
 * @param path in the member, encoded as it was received
 * @throws StatusError where there is no such Cluster, or it lacks what is needed to reach it
 */
export async function passToMember(
  control: KubeApi,
  name: string,
  request: AggregatedRequest,
  path: string,
): Promise<ApiResponse> {
  const cluster = await read<Cluster>(control, CLUSTERS, { name })
  if (!cluster) throw notFound({ group: CLUSTERS.group, resource: CLUSTERS.resource }, name)
  const options = await requestOptions(control, cluster, request, path)
  return request.upgrade ? upgrade(options, request) : forward(options, request)
}

interface Target extends RequestOptions {
  readonly url: URL
}

async function requestOptions(
  control: KubeApi,
  { metadata: { name }, spec }: Cluster,
  request: AggregatedRequest,
  path: string,
): Promise<Target> {
  const { apiEndpoint, secretRef, impersonatorSecretRef, insecureSkipTLSVerification } = spec
  if (!apiEndpoint) throw proxyError(`the apiEndpoint of cluster ${name} should not be empty`)
  if (!impersonatorSecretRef) throw proxyError(`the impersonatorSecretRef of cluster ${name} is nil`)
  const impersonator = await read<Secret>(control, SECRETS, impersonatorSecretRef)
  const token = fromBase64(impersonator?.data?.token ?? '')
  if (token === '') throw proxyError(`failed to get impersonateToken for cluster ${name}`)
  const secret = secretRef && (await read<Secret>(control, SECRETS, secretRef))
  const caBundle = secret?.data?.caBundle
  return {
    url: new URL(apiEndpoint.replace(/\/+$/, '') + path + search(request)),
    method: request.method,
    headers: { ...passedOn(request.headers), ...identity(request, token) },
    rejectUnauthorized: !insecureSkipTLSVerification,
    ...(caBundle && { ca: fromBase64(caBundle) }),
    // A connection per request, as Karmada has it: nothing idle is kept towards members.
    agent: false,
    signal: request.signal,
  }
}

/** The path as received, without the part that names the proxy. */
const pathBehindProxy = ({ path }: ApiRequest): string =>
  path.replace(/^\/apis\/[^/]+\/[^/]+\/clusters\/[^/]+\/proxy/, '') || '/'

function search({ query }: ApiRequest): string {
  const text = query.toString()
  return text && `?${text}`
}

function passedOn(headers: ApiRequest['headers']): Record<string, string | string[]> {
  const passed: Record<string, string | string[]> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || NOT_PASSED_ON.has(name) || name.startsWith('impersonate-')) continue
    passed[name] = typeof value === 'string' ? value : [...value]
  }
  return passed
}

function identity({ user }: AggregatedRequest, token: string): Record<string, string | string[]> {
  const groups = user.groups.filter(group => !EVERYBODY.has(group))
  return {
    authorization: `Bearer ${token}`,
    'impersonate-user': user.name,
    ...(groups.length > 0 && { 'impersonate-group': groups }),
  }
}

async function forward({ url, ...options }: Target, request: AggregatedRequest): Promise<ApiResponse> {
  const body =
    request.parsedBody === undefined ? await request.body() : Buffer.from(JSON.stringify(request.parsedBody))
  const headers = { ...(options.headers as object), 'content-length': body.length }
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    requesterOf(url)(url, { ...options, headers }, resolve)
      .on('error', reject)
      .end(body)
  }).catch(error => {
    throw proxyError(`error trying to reach service: ${(error as Error).message}`)
  })
  return passedBack(answer)
}

function passedBack(answer: IncomingMessage): ApiResponse {
  const { connection: _c, 'transfer-encoding': _t, 'content-length': _l, ...passed } = answer.headers
  const kept = Object.entries(passed).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  return { code: answer.statusCode ?? 502, headers: Object.fromEntries(kept), body: { stream: answer } }
}

const requesterOf = (url: URL) => (url.protocol === 'http:' ? insecureRequest : secureRequest)

/** Answers the upgrade the way the member does, and joins the two sockets. */
function upgrade({ url, ...options }: Target, request: AggregatedRequest): Promise<ApiResponse> {
  const { socket, head } = request.upgrade as NonNullable<ApiRequest['upgrade']>
  const headers = { ...(options.headers as object), connection: 'Upgrade' }
  return new Promise((resolve, reject) => {
    const outgoing = requesterOf(url)(url, { ...options, headers })
    outgoing.on('error', error => reject(proxyError(`error trying to reach service: ${error.message}`)))
    outgoing.on('response', answer => resolve(passedBack(answer)))
    outgoing.on('upgrade', (answer, member, first) => {
      socket.write(statusLines(answer))
      if (first.length > 0) socket.write(first)
      if (head.length > 0) member.write(head)
      for (const [from, to] of [
        [socket, member],
        [member, socket],
      ] as const) {
        from.pipe(to)
        from.on('error', () => to.destroy())
        from.on('close', () => to.destroy())
      }
      resolve({ code: 101, body: { taken: true } })
    })
    outgoing.end()
  })
}

function statusLines({ statusCode, statusMessage, rawHeaders }: IncomingMessage): string {
  const lines = [`HTTP/1.1 ${statusCode} ${statusMessage ?? ''}`]
  for (let index = 0; index < rawHeaders.length; index += 2)
    lines.push(`${rawHeaders[index]}: ${rawHeaders[index + 1]}`)
  return `${lines.join('\r\n')}\r\n\r\n`
}
