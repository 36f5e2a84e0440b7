import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Hook,
  hookFor,
  type WebhookConfiguration,
} from '../../../karmada/interpreter/customized/webhook-configuration.js'
import type { Resource } from '../../../karmada/interpreter/workload.js'
import { callWebhook } from '../../../playground/karmada/interpreter/call-webhook.js'
import { WebhookInterpreter } from '../../../playground/karmada/interpreter/webhook-interpreter.js'
import { CertificateAuthority } from '../../real/certificates.js'

const OBJECT: Resource = {
  apiVersion: 'example.com/v1',
  kind: 'Thing',
  metadata: { name: 'a', namespace: 'ns' },
  spec: { replicas: 1 },
}
interface Asked {
  readonly request: Readonly<Record<string, unknown>> & { readonly uid: string }
}

const configuration = (name: string, webhook: Partial<Hook> = {}): WebhookConfiguration => ({
  apiVersion: 'config.karmada.io/v1alpha1',
  kind: 'ResourceInterpreterWebhookConfiguration',
  metadata: { name },
  webhooks: [
    {
      name: 'things.example.com',
      rules: [{ operations: ['*'], apiGroups: ['example.com'], apiVersions: ['v1'], kinds: ['Thing'] }],
      clientConfig: { url: 'https://127.0.0.1:1' },
      interpreterContextVersions: ['v1alpha1'],
      ...webhook,
    },
  ],
})
const patch = (...operations: readonly object[]) => ({
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
})
/** An interpreter whose webhook answers with a response. */
function answering(response: object | ((asked: Asked) => unknown)) {
  const asked: Asked['request'][] = []
  const interpreter = new WebhookInterpreter(
    () => [configuration('c')],
    async (_, body) => {
      const { request } = body as Asked
      asked.push(request)
      if (typeof response === 'function') return (response as (asked: Asked) => unknown)({ request })
      return { response: { uid: request.uid, successful: true, ...response } }
    },
  )
  return { interpreter, asked }
}

describe('an interpreter webhook', () => {
  it('is told the object, its kind and the operation', async () => {
    const { interpreter, asked } = answering(patch({ op: 'replace', path: '/spec/replicas', value: 3 }))
    expect(await interpreter.revise(OBJECT, 3)).toEqual({ value: { ...OBJECT, spec: { replicas: 3 } } })
    expect(asked).toEqual([
      {
        uid: expect.any(String) as string,
        kind: { group: 'example.com', version: 'v1', kind: 'Thing' },
        name: 'a',
        namespace: 'ns',
        operation: 'ReviseReplica',
        object: OBJECT,
        replicas: 3,
      },
    ])
  })

  it('answers each operation', async () => {
    const { interpreter, asked } = answering({
      ...{ replicas: 2, replicaRequirements: { resourceRequest: { cpu: '0.5' } }, healthy: false },
      ...{ rawStatus: { ready: 1 }, dependencies: [{ apiVersion: 'v1', kind: 'Secret', name: 's' }] },
      ...{ components: [{ name: 'main', replicas: 4 }] },
      ...patch({ op: 'add', path: '/status', value: { total: 7 } }),
    })
    expect(await interpreter.replicas(OBJECT)).toEqual({
      value: { replicas: 2, requirements: { resourceRequest: { cpu: '500m' } } },
    })
    expect(await interpreter.health(OBJECT)).toEqual({ value: false })
    expect(await interpreter.reflect(OBJECT)).toEqual({ value: { ready: 1 } })
    expect(await interpreter.dependencies(OBJECT)).toEqual({
      value: [{ apiVersion: 'v1', kind: 'Secret', name: 's' }],
    })
    expect(await interpreter.components(OBJECT)).toEqual({ value: [{ name: 'main', replicas: 4 }] })
    const items = [{ clusterName: 'm1', status: { ready: 7 } }]
    expect(await interpreter.aggregate(OBJECT, items)).toEqual({ value: { total: 7 } })
    expect(await interpreter.retain(OBJECT, { ...OBJECT, spec: {} })).toMatchObject({ value: { status: {} } })
    expect(asked.at(-2)).toMatchObject({ aggregatedStatus: items })
    expect(asked.at(-1)).toMatchObject({ observedObject: { spec: {} } })
  })

  it('may leave an object as it is', async () => {
    expect(await answering({}).interpreter.retain(OBJECT, OBJECT)).toEqual({ value: OBJECT })
  })

  const failing = 'Internal error occurred: failed calling webhook "c/things.example.com": '
  const of = (response: object) => (asked: Asked) => ({ response: { uid: asked.request.uid, ...response } })
  it.each([
    ['has no response', () => ({}), 'received invalid webhook response: webhook response was absent'],
    [
      'answers another question',
      () => ({ response: { uid: 'x', successful: true } }),
      'expected response.uid',
    ],
    [
      'fails',
      of({ status: { code: 400, message: 'no' } }),
      'webhook call failed, get status code: 400, msg: no',
    ],
    ['fails and says nothing', of({}), 'webhook require response.status when response.successful is false'],
    ['says nothing', of({ successful: true }), 'webhook returned nil response.healthy'],
    ['is no webhook', () => 'hello', 'failed to call webhook'],
    ['says what is no boolean', of({ successful: true, healthy: 'yes' }), 'failed to call webhook'],
  ])('that %s is an error', async (_, response, message) => {
    const failure = answering(response).interpreter.health(OBJECT)
    await expect(failure).rejects.toThrow(failing)
    await expect(failure).rejects.toThrow(message)
  })

  it('that patches without saying how is an error', async () => {
    const { interpreter } = answering({ patch: patch().patch })
    await expect(interpreter.revise(OBJECT, 1)).rejects.toThrow('webhook returned nil response.patchType')
  })

  it('is not asked about kinds and operations that are not its own', async () => {
    const { interpreter, asked } = answering({ healthy: true })
    expect(await interpreter.health({ ...OBJECT, kind: 'Other' })).toBeUndefined()
    expect(interpreter.knowsHealth({ apiVersion: 'example.com/v2', kind: 'Thing' })).toBe(false)
    expect(interpreter.knowsHealth(OBJECT)).toBe(true)
    expect(asked).toEqual([])
  })

  it('is the first by the names of configuration and webhook', () => {
    const rule = { apiGroups: ['*'], apiVersions: ['*'], kinds: ['*'] }
    const only = configuration('a', { rules: [{ ...rule, operations: ['Retain'] }] })
    const configurations = [configuration('c'), configuration('b'), only]
    expect(hookFor(configurations, OBJECT, 'InterpretHealth')?.id).toBe('b/things.example.com')
    expect(hookFor(configurations, { apiVersion: 'v1', kind: 'Pod' }, 'Retain')?.id).toBe(
      'a/things.example.com',
    )
  })
})

describe('a call of a webhook', () => {
  let server: Server
  let ca: string
  beforeAll(async () => {
    const authority = await CertificateAuthority.create('webhook-ca')
    const { certificate, key } = await authority.issue({ commonName: 'webhook', hosts: ['127.0.0.1'] })
    ca = Buffer.from(authority.certificate).toString('base64')
    server = createServer({ cert: certificate, key }, (request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.once('end', () => {
        if (request.url === '/silent') return
        if (request.url === '/refuses') response.statusCode = 500
        const body = Buffer.concat(chunks).toString()
        response.end(request.url === '/echo' ? `{"method":"${request.method}","body":${body}}` : 'no JSON')
      })
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })

  const hook = (path: string, caBundle: string | undefined = ca): Hook => {
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}${path}`
    const [webhook] = configuration('c').webhooks
    return {
      ...(webhook as Hook),
      id: 'c/w',
      timeoutSeconds: 1,
      clientConfig: { url, ...(caBundle !== undefined && { caBundle }) },
    }
  }

  it('posts JSON over TLS and reads JSON', async () => {
    expect(await callWebhook(hook('/echo'), { a: 'é' })).toEqual({ method: 'POST', body: { a: 'é' } })
  })

  it.each([
    ['that is not answered in time', '/silent', 'context deadline exceeded'],
    [
      'that is answered with an error',
      '/refuses',
      'an error on the server ("no JSON") has prevented the request',
    ],
    ['that is answered with what is no JSON', '/other', 'no JSON'],
  ])('%s is an error', async (_, path, message) => {
    await expect(callWebhook(hook(path), {})).rejects.toThrow(message)
  })

  it('trusts the certificate authority of the configuration alone', async () => {
    const { certificate } = await CertificateAuthority.create('other')
    const other = Buffer.from(certificate).toString('base64')
    await expect(callWebhook(hook('/echo', other), {})).rejects.toThrow('certificate')
  })
})
