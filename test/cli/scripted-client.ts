import type { Client } from '../../cli/client.js'
import type { ClientContext } from '../../cli/get-instances.js'

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

type Scripted = Partial<Omit<Client, 'close'>>

/** What a command needs, over answers that are scripted; the time is 91 seconds after 1970 began. */
export function asking(
  client: Scripted,
  signal: ClientContext['signal'] = new AbortController().signal,
): Omit<ClientContext, 'out' | 'err'> & { readonly out: string[]; readonly err: string[] } {
  const out: string[] = []
  const err: string[] = []
  const unasked = () => Promise.reject(new Error('not asked for'))
  return {
    out,
    err,
    client: {
      get: unasked,
      post: unasked,
      delete: unasked,
      stream: nothing,
      close: async () => undefined,
      ...client,
    } as Client,
    signal,
    now: () => 91_000,
    pause: async () => undefined,
  }
}
