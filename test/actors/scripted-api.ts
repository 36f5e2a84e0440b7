import { bareStatus, StatusError } from '../../manifests/status-error.js'
import type { KubeApi, KubeRequest } from '../../ports/kube-api.js'

/** A KubeApi whose answers a test writes down, and which remembers what it was asked. */
export interface ScriptedApi extends KubeApi {
  readonly requests: KubeRequest[]
  /** `METHOD path` of every request, in order. */
  readonly lines: string[]
  /** What is answered to whom; asked in order, the first that is not undefined counts. An Error is thrown. */
  script: (request: KubeRequest) => unknown
}

/** Answers by `METHOD path`, with a value or what a function makes of the request; anything else is a 404 Status. */
export function scriptedApi(
  answers: Readonly<Record<string, unknown>> = {},
  server = 'https://scripted',
): ScriptedApi {
  const api: ScriptedApi = {
    server,
    requests: [],
    lines: [],
    script: ({ method, path }) => answers[`${method} ${path}`],
    async request<T>(request: KubeRequest): Promise<T> {
      request.signal?.throwIfAborted()
      api.requests.push(request)
      api.lines.push(`${request.method} ${request.path}`)
      const scripted = api.script(request)
      const answer = typeof scripted === 'function' ? await scripted(request) : await scripted
      if (answer instanceof Error) throw answer
      if (answer === undefined) throw refusal(404, 'NotFound')
      return answer as T
    },
    // biome-ignore lint/correctness/useYield: nothing ever happens
    async *watch() {
      throw new Error('nothing is watched here')
    },
    close: () => Promise.resolve(),
  }
  return api
}

/** How an API server says no. */
export const refusal = (code: number, reason: string, message = `${code} ${reason}`): StatusError =>
  new StatusError({ ...bareStatus(code, message), reason })
