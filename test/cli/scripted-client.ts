import type { JsonValue } from '@bufbuild/protobuf'
import type { Client, ClientContext } from '../../cli/client/client.js'
import { encodeRequest } from '../../transcoding/encode.js'

/** An instance of which everything is known. */
export const eu = {
  metadata: { name: 'eu', creationTimestamp: '1000' },
  spec: { alias: 'Europe', kubeconfigSecretRef: { namespace: 'kairship-system', name: 'eu' } },
  status: {
    state: 'INSTANCE_STATE_RUNNING',
    phase: 'Ready',
    since: '1970-01-01T00:00:31Z',
    karmadaVersion: 'v1.18.2',
    kubernetesVersion: 'v1.36.2',
    endpoint: 'https://10.0.0.1:5443',
    conditions: [
      {
        type: 'Ready',
        status: 'True',
        reason: 'AllHold',
        message: '',
        lastTransitionTime: '1970-01-01T00:00:31Z',
      },
    ],
    summary: { clusterSummary: { totalNum: 2, readyNum: 1 }, nodeSummary: { totalNum: 6, readyNum: 6 } },
  },
  fieldOfTomorrow: { any: 'thing' },
}
/** An instance without a phase. */
export const us = {
  metadata: { name: 'us', creationTimestamp: '61000' },
  status: {
    state: 'INSTANCE_STATE_INPROCESS',
    conditions: [{ type: 'Ready', status: 'False', reason: 'No', message: 'no Secret kairship-system/us' }],
  },
}

/** A stream that ends at once. */
export async function* nothing(): AsyncGenerator<unknown> {
  yield* []
}

/** What answers, by the HTTP method of a call; bodies are parsed. */
export interface Scripted {
  get?(path: string): Promise<unknown>
  post?(path: string, body: unknown): Promise<unknown>
  delete?(path: string): Promise<unknown>
  /** @param resumeToken of the request, where it has one */
  stream?(path: string, resumeToken: string | undefined): AsyncIterable<unknown>
}

/** A client whose requests are encoded as ever, and answered by a script. */
export const scriptedClient = (scripted: Scripted): Client => ({
  async unary(method, request) {
    const { verb, path, body } = encodeRequest(method, request)
    const answer = { GET: scripted.get, POST: scripted.post, DELETE: scripted.delete }[verb as 'GET']
    if (!answer) throw new Error(`not asked for: ${verb} ${path}`)
    const parsed = body ? [JSON.parse(body)] : []
    return await (answer as (path: string, ...body: unknown[]) => Promise<JsonValue>)(path, ...parsed)
  },
  async *stream(method, request) {
    const { path } = encodeRequest(method, request)
    const { resumeToken } = request as { readonly resumeToken?: string }
    for await (const message of (scripted.stream ?? nothing)(path, resumeToken || undefined))
      yield message as JsonValue
  },
  close: async () => undefined,
})

/** What a command needs, over answers that are scripted; the time is 91 seconds after 1970 began. */
export function asking(
  client: Scripted,
  signal: ClientContext['signal'] = new AbortController().signal,
): Omit<ClientContext, 'out' | 'err'> & { readonly out: string[]; readonly err: string[] } {
  const out: string[] = []
  const err: string[] = []
  return {
    out,
    err,
    client: scriptedClient(client),
    signal,
    now: () => 91_000,
    pause: async () => undefined,
  }
}
