import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { selfSigned } from '../../../http/listener/serving-certificate.js'
import { content, digestOf } from './content.js'
import type { RegistryTarget } from './suite.js'

/** A double of Docker's registry with the content of `content.ts`. */
export interface RegistryDouble extends RegistryTarget {
  /** Methods and paths with queries, and the Authorization header, oldest first. */
  readonly received: readonly { readonly path: string; readonly authorization: string | undefined }[]
  /** Answers requests so for which it does not return false, until it is called without one. */
  answerWith(answer?: (request: IncomingMessage, response: ServerResponse) => unknown): void
  changePassword(password: string): void
  close(): Promise<void>
}

const USERNAME = 'kairship'
/** Names that Docker's registry gives on one page at most. */
const MOST = 1_000

export async function startRegistryDouble(): Promise<RegistryDouble> {
  const tls = await selfSigned(['127.0.0.1', 'localhost'])
  const received: { path: string; authorization: string | undefined }[] = []
  let password = 'correct horse'
  let scripted: ((request: IncomingMessage, response: ServerResponse) => unknown) | undefined
  const serve = (request: IncomingMessage, response: ServerResponse): unknown => {
    const { authorization } = request.headers
    received.push({ path: request.url ?? '', authorization })
    if (scripted && scripted(request, response) !== false) return undefined
    const proof = `Basic ${Buffer.from(`${USERNAME}:${password}`).toString('base64')}`
    if (authorization !== proof) {
      response.setHeader('www-authenticate', 'Basic realm="registry"')
      return refuse(response, 401, 'UNAUTHORIZED', 'authentication required')
    }
    return answer(new URL(request.url ?? '', 'https://double'), request, response)
  }
  const server = createServer({ cert: tls.certificate, key: tls.key }, serve)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return {
    url: `https://127.0.0.1:${port}`,
    certificateAuthority: tls.certificate,
    username: USERNAME,
    get password() {
      return password
    },
    received,
    answerWith: next => {
      scripted = next
    },
    changePassword: next => {
      password = next
    },
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function answer(url: URL, request: IncomingMessage, response: ServerResponse): unknown {
  if (request.method !== 'GET') return refuse(response, 405, 'UNSUPPORTED', 'the operation is unsupported.')
  const { pathname } = url
  if (pathname === '/v2/') return json(response, {})
  if (pathname === '/v2/_catalog') {
    const n = url.searchParams.get('n') ?? '100'
    if (!/^[1-9]\d*$/.test(n) || Number(n) > MOST)
      return refuse(response, 400, 'PAGINATION_NUMBER_INVALID', 'invalid number of results requested')
    const last = url.searchParams.get('last') ?? ''
    const names = [...new Set(content.map(({ repository }) => repository))].sort().filter(name => name > last)
    const page = names.slice(0, Number(n))
    if (page.length < names.length)
      response.setHeader('link', `</v2/_catalog?last=${encodeURIComponent(page.at(-1)!)}&n=${n}>; rel="next"`)
    return json(response, { repositories: page })
  }
  const [, repository = '', kind, reference = ''] =
    /^\/v2\/(.+)\/(tags\/list|manifests)(?:\/([^/]+))?$/.exec(pathname) ?? []
  const pushed = content.filter(one => one.repository === repository)
  if (kind === 'tags/list') {
    if (pushed.length === 0)
      return refuse(response, 404, 'NAME_UNKNOWN', 'repository name not known to registry')
    return json(response, { name: repository, tags: pushed.flatMap(({ tags }) => tags).sort() })
  }
  if (kind === 'manifests') {
    const found = pushed.find(({ tags, body }) => tags.includes(reference) || digestOf(body) === reference)
    if (!found) return refuse(response, 404, 'MANIFEST_UNKNOWN', 'manifest unknown')
    // As Docker's registry: what the caller does not accept is unknown to it.
    if (!request.headers.accept?.includes(found.type))
      return refuse(response, 404, 'MANIFEST_UNKNOWN', 'manifest unknown')
    response.writeHead(200, { 'content-type': found.type, 'docker-content-digest': digestOf(found.body) })
    return response.end(found.body)
  }
  return response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' }).end('404 page not found\n')
}

const json = (response: ServerResponse, body: unknown): void => {
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body))
}

const refuse = (response: ServerResponse, status: number, code: string, message: string): void => {
  const errors = [{ code, message }]
  response
    .writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
    .end(JSON.stringify({ errors }))
}
