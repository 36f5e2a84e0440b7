import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Call } from '../../../../http/call/call.js'
import { cancelled } from '../../../../http/errors/failure.js'
import { checkCreation } from '../../../../http/rpc/instance/checks/creation.js'
import type { Instance } from '../../../../manifests/instance.js'
import type { KubeApi, KubeRequest } from '../../../../ports/kube-api.js'
import { Code } from '../../../../transcoding/code.js'
import { base64, kubeconfig } from '../../../actors/kube/a-kubeconfig.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const reference = { namespace: 'keys', name: 'good' }
const instance: Instance = {
  ...{ apiVersion: 'kairship.io/v1alpha1', kind: 'Instance', metadata: { name: 'fresh' } },
  spec: { kubeconfigSecretRef: reference },
}

/** Checks an Instance whose Secret is there and whose control plane does not answer before the request is aborted. */
function checking() {
  const asked: KubeRequest[] = []
  let closed = 0
  const api = {
    server: 'https://new.test:5443',
    request: (sent: KubeRequest) => {
      asked.push(sent)
      return new Promise((_, reject) => {
        sent.signal?.addEventListener('abort', () => reject(sent.signal?.reason))
      })
    },
    close: async () => void closed++,
  } as unknown as KubeApi
  const caller = new AbortController()
  const secret = { metadata: reference, data: { kubeconfig: base64(kubeconfig()) } }
  const outcome = checkCreation(
    {
      host: { request: (async () => ({ items: [secret] })) as KubeApi['request'] },
      connector: { connect: async () => api },
      instances: { all: async () => [] },
      authorizer: { decide: () => ({ allowed: true, reason: '' }) },
    },
    { signal: caller.signal, caller: { user: 'ann', groups: [], extra: {} } } as unknown as Call,
    instance,
  ).catch((error: unknown) => error)
  return { asked, caller, outcome, closed: () => closed }
}

it('the checks of a new instance end after five seconds, with their requests and their connection', async () => {
  const { asked, outcome, closed } = checking()
  await vi.advanceTimersByTimeAsync(4_999)
  expect([asked.length, asked[0]?.signal?.aborted, closed()]).toEqual([1, false, 0])
  await vi.advanceTimersByTimeAsync(1)
  expect(await outcome).toMatchObject({ code: Code.DEADLINE_EXCEEDED })
  expect([asked[0]?.signal?.aborted, closed()]).toEqual([true, 1])
})

it('one answer of the control plane may take less than all checks, so that the message names it', async () => {
  const { asked, caller } = checking()
  await vi.advanceTimersByTimeAsync(1)
  expect(asked[0]?.timeoutMs).toBeLessThan(5_000)
  caller.abort()
})

it('the checks of a new instance end with their call', async () => {
  const { asked, caller, outcome, closed } = checking()
  await vi.advanceTimersByTimeAsync(1)
  const reason = cancelled('the caller hung up')
  caller.abort(reason)
  expect(await outcome).toBe(reason)
  await vi.advanceTimersByTimeAsync(1)
  expect([asked[0]?.signal?.aborted, closed()]).toEqual([true, 1])
})
