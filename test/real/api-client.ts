import { readFileSync } from 'node:fs'
import { Agent, request } from 'undici'
import { parse, stringify } from 'yaml'

/** How to reach one Kubernetes API, and as whom. All certificate material is PEM. */
export interface ApiCredentials {
  readonly url: string
  readonly ca: string
  readonly clientCertificate?: string
  readonly clientKey?: string
  readonly token?: string
}

/** An answer as it came, the body parsed where it is JSON. */
export interface ApiResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: unknown
}

/** The little the harness needs of an object. */
export interface ApiObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly [field: string]: unknown }
  readonly [field: string]: unknown
}

/**
 * A plain Kubernetes API client for the harness. It is deliberately not Kairship's own: what brings engines up and asks
 * them for the truth must not share the bugs of what is tested.
 */
export class ApiClient {
  private readonly agent: Agent

  constructor(readonly credentials: ApiCredentials) {
    const { ca, clientCertificate, clientKey } = credentials
    this.agent = new Agent({
      connect: {
        ca,
        ...(clientCertificate === undefined ? {} : { cert: clientCertificate }),
        ...(clientKey === undefined ? {} : { key: clientKey }),
      },
    })
  }

  /** Sends one request; an error answer is returned like any other. */
  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string | string[]> = {},
  ): Promise<ApiResponse> {
    const { url, token } = this.credentials
    const response = await request(url + path, {
      dispatcher: this.agent,
      method: method as 'GET',
      headers: {
        accept: 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? null : JSON.stringify(body),
    })
    const text = await response.body.text()
    const isJson = String(response.headers['content-type'] ?? '').includes('json')
    return { status: response.statusCode, headers: response.headers, body: isJson ? JSON.parse(text) : text }
  }

  /**
   * Sends one request that must succeed.
   * @throws Error with the answer's body when it is not 2xx
   */
  async must<T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<T> {
    const response = await this.send(method, path, body, headers)
    if (response.status >= 300)
      throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(response.body).slice(0, 500)}`)
    return response.body as T
  }

  /** Server-side apply, so that bringing a stack up twice is harmless. */
  apply(object: ApiObject): Promise<Record<string, unknown>> {
    return this.must('PATCH', `${objectPath(object)}?fieldManager=kairship-real&force=true`, object, {
      'content-type': 'application/apply-patch+yaml',
    })
  }

  /** True once GET of `path` answers 200; false also while nobody listens. */
  async answers(path: string): Promise<boolean> {
    try {
      return (await this.send('GET', path)).status === 200
    } catch {
      // Not up yet: refused or reset while starting is the expected answer, and the caller has the deadline.
      return false
    }
  }

  close(): Promise<void> {
    return this.agent.destroy()
  }
}

/** The path of an object. Every kind the harness applies has a regular plural. */
export function objectPath({ apiVersion, kind, metadata }: ApiObject): string {
  const prefix = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
  const namespace = metadata.namespace === undefined ? '' : `/namespaces/${metadata.namespace}`
  return `${prefix}${namespace}/${kind.toLowerCase()}s/${metadata.name}`
}

/** The text of a kubeconfig with one context. */
export function kubeconfigText(
  name: string,
  { url, ca, clientCertificate, clientKey, token }: ApiCredentials,
): string {
  const base64 = (text: string): string => Buffer.from(text).toString('base64')
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [{ name, cluster: { server: url, 'certificate-authority-data': base64(ca) } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    users: [
      {
        name,
        user: {
          ...(clientCertificate === undefined
            ? {}
            : { 'client-certificate-data': base64(clientCertificate) }),
          ...(clientKey === undefined ? {} : { 'client-key-data': base64(clientKey) }),
          ...(token === undefined ? {} : { token }),
        },
      },
    ],
  })
}

/** All documents of a YAML file that a program ships, placeholders filled in first. */
export function readManifests(
  file: string,
  placeholders: Readonly<Record<string, string>> = {},
): ApiObject[] {
  const text = Object.entries(placeholders).reduce(
    (text, [placeholder, value]) => text.replaceAll(`{{${placeholder}}}`, value),
    readFileSync(file, 'utf8'),
  )
  return text
    .split(/^---$/m)
    .map(part => parse(part) as ApiObject | null)
    .filter(object => object !== null)
}
