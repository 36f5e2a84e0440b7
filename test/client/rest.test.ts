import { describe, expect, it } from 'vitest'
import { AnswerError, ApiError, ConnectionError } from '../../client/errors.js'
import { type Fetch, restCalls } from '../../client/rest.js'
import { jsonClient, serviceClient } from '../../client/service-client.js'
import { ImageService } from '../../proto/gen/kairship/image_pb.js'
import { InstanceService } from '../../proto/gen/kairship/instance_pb.js'
import { Code } from '../../transcoding/code.js'
import { testApi } from '../http/fakes/api.js'

/** A client of one who answers every request. */
const clientOf = (fetch: Fetch, timeoutMs?: number) =>
  serviceClient(
    InstanceService,
    restCalls({ server: 'https://kairship.test', fetch, ...(timeoutMs !== undefined && { timeoutMs }) }),
  )
const answering =
  (status: number, body: string): Fetch =>
  async () =>
    new Response(body, { status })
/** Never answers, as a server that hangs; it ends when its caller does. */
const silence: Fetch = (_url, { signal }) =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')))
  })
const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => new Error('it did not fail'),
    error => error,
  )

describe('the typed client of the management API', () => {
  /** The API over fakes, without sockets between. */
  const api = (token: string) => {
    const { app } = testApi()
    const fetch: Fetch = async (url, init) => app.request(url, init as RequestInit, {})
    return restCalls({ server: 'https://kairship.test', token: () => token, fetch })
  }

  it('returns messages', async () => {
    const { items, pagination } = await serviceClient(InstanceService, api('admin')).listInstances({
      pageSize: 1,
    })
    expect([items.map(item => item.metadata?.name), pagination?.total]).toEqual([['north'], 2])
    expect(typeof items[0]?.metadata?.creationTimestamp).toBe('bigint')
  })

  it('throws a refusal with its code, reason, fields and request id', async () => {
    const invalid = await failure(serviceClient(InstanceService, api('admin')).listInstances({ page: -1 }))
    expect(invalid).toBeInstanceOf(ApiError)
    expect(invalid).toMatchObject({
      code: Code.INVALID_ARGUMENT,
      codeName: 'INVALID_ARGUMENT',
      httpStatus: 400,
      violations: [{ field: 'page', description: 'is -1: pages count from 1' }],
      requestId: expect.stringMatching(/./),
    })
    const unconfigured = serviceClient(ImageService, api('admin')).listRegistries({
      instance: 'north',
      namespace: 'default',
    })
    expect(await failure(unconfigured)).toMatchObject({
      code: Code.FAILED_PRECONDITION,
      reason: 'NoRegistries',
    })
    const unknown = await failure(serviceClient(InstanceService, api('admin')).getInstance({ name: 'west' }))
    expect(unknown).toMatchObject({ code: Code.NOT_FOUND, httpStatus: 404 })
    const denied = await failure(
      serviceClient(InstanceService, api('viewer')).deleteInstance({ name: 'north' }),
    )
    expect(denied).toMatchObject({ code: Code.PERMISSION_DENIED, httpStatus: 403 })
  })

  it('follows a watch until its reader leaves', async () => {
    const seen: unknown[] = []
    for await (const { type, instance } of jsonClient(InstanceService, api('admin')).watchInstances(
      {},
    ) as AsyncIterable<Record<string, { metadata?: { name?: string } }>>) {
      seen.push([type, instance?.metadata?.name])
      if (seen.length === 3) break
    }
    expect(seen).toEqual([
      ['RESET', undefined],
      ['ADDED', 'north'],
      ['ADDED', 'south'],
    ])
  })
})

describe('an answer', () => {
  it('of a newer server may have fields and enum values that the client does not know', async () => {
    const body = '{"metadata":{"name":"eu","tomorrow":1},"status":{"state":"INSTANCE_STATE_OF_TOMORROW"}}'
    expect(await clientOf(answering(200, body)).getInstance({ name: 'eu' })).toMatchObject({
      metadata: { name: 'eu' },
    })
    const rest = restCalls({ server: 'https://kairship.test', fetch: answering(200, body) })
    expect(await jsonClient(InstanceService, rest).getInstance({ name: 'eu' })).toEqual(JSON.parse(body))
  })

  it('that refuses keeps what is known of it beside a detail of an unknown type', async () => {
    const details = [
      { '@type': 'type.googleapis.com/google.rpc.Tomorrow', a: 1 },
      { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'Conflict', metadata: { a: 'b' } },
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '3s' },
    ]
    const body = JSON.stringify({ code: 10, message: 'changed meanwhile', details })
    expect(await failure(clientOf(answering(409, body)).getInstance({ name: 'eu' }))).toMatchObject({
      message: 'changed meanwhile',
      code: Code.ABORTED,
      reason: 'Conflict',
      metadata: { a: 'b' },
      retryAfterSeconds: 3,
    })
  })

  it('that is no google.rpc.Status has the code of its HTTP status and its own text', async () => {
    expect(await failure(clientOf(answering(502, '<html>bad')).getInstance({ name: 'eu' }))).toMatchObject({
      code: Code.UNAVAILABLE,
      message: 'HTTP 502: <html>bad',
    })
  })

  it('that refuses without a code has that of its HTTP status', async () => {
    expect(
      await failure(clientOf(answering(401, '{"message":"expired"}')).getInstance({ name: 'eu' })),
    ).toMatchObject({
      code: Code.UNAUTHENTICATED,
      message: 'expired',
    })
  })

  it('that is no success is never OK, whatever it says', async () => {
    for (const status of [302, 304, 399]) {
      const fetch: Fetch = async () => ({ status, body: new Response('{"code":0,"message":"fine"}').body })
      expect(await failure(clientOf(fetch).getInstance({ name: 'eu' }))).toMatchObject({ code: Code.UNKNOWN })
    }
  })

  it('that is no JSON is an AnswerError', async () => {
    expect(await failure(clientOf(answering(200, 'hello')).getInstance({ name: 'eu' }))).toBeInstanceOf(
      AnswerError,
    )
  })
})

describe('a call', () => {
  it('does not follow a redirect, which would take its token elsewhere', async () => {
    const redirects: unknown[] = []
    const fetch: Fetch = async (_url, { redirect }) => {
      redirects.push(redirect)
      return new Response('{}')
    }
    await clientOf(fetch).getInstance({ name: 'eu' })
    expect(redirects).toEqual(['error'])
  })

  it('fails with DEADLINE_EXCEEDED when no answer comes in time, and tells the server its deadline', async () => {
    const headers: unknown[] = []
    const fetch: Fetch = (url, init) => {
      headers.push(init.headers['grpc-timeout'])
      return silence(url, init)
    }
    const error = await failure(clientOf(fetch).getInstance({ name: 'eu' }, { timeoutMs: 20 }))
    expect(error).toMatchObject({ code: Code.DEADLINE_EXCEEDED, message: 'no answer came within 20 ms' })
    expect(headers).toEqual(['20m'])
  })

  it('fails when an answer begins in time and does not end', async () => {
    const fetch: Fetch = async (_url, { signal }) =>
      new Response(
        new ReadableStream({
          start: controller => signal.addEventListener('abort', () => controller.error(signal.reason)),
        }),
      )
    const error = await failure(clientOf(fetch, 20).getInstance({ name: 'eu' }))
    expect(error).toMatchObject({ code: Code.DEADLINE_EXCEEDED })
  })

  it('fails with the reason of its caller who gives it up, before or while it runs', async () => {
    const reason = new Error('enough')
    const before = clientOf(silence).getInstance({ name: 'eu' }, { signal: AbortSignal.abort(reason) })
    expect(await failure(before)).toBe(reason)
    const interrupt = new AbortController()
    const meanwhile = clientOf(silence).getInstance({ name: 'eu' }, { signal: interrupt.signal })
    interrupt.abort(reason)
    expect(await failure(meanwhile)).toBe(reason)
  })

  it('ends by its deadline, and by its caller, also while it waits for a token or for a fetch that ignores its signal', async () => {
    const forever = () => new Promise<never>(() => undefined)
    for (const hanging of [{ token: forever, fetch: silence }, { fetch: forever }]) {
      const client = serviceClient(
        InstanceService,
        restCalls({ server: 'https://kairship.test', ...hanging }),
      )
      expect(await failure(client.getInstance({ name: 'eu' }, { timeoutMs: 20 }))).toMatchObject({
        code: Code.DEADLINE_EXCEEDED,
      })
      const [reason, interrupt] = [new Error('enough'), new AbortController()]
      const given = client.watchInstances({}, { signal: interrupt.signal })[Symbol.asyncIterator]().next()
      interrupt.abort(reason)
      expect(await failure(given)).toBe(reason)
    }
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('the keychain is locked')
      },
    ],
    ['rejects', () => Promise.reject(new Error('the keychain is locked'))],
  ])('sends nothing and fails with a ConnectionError when its token %s', async (_, token) => {
    let sent = 0
    const fetch: Fetch = async () => {
      sent += 1
      return new Response('{}')
    }
    const client = serviceClient(
      InstanceService,
      restCalls({ server: 'https://kairship.test', token, fetch }),
    )
    const error = await failure(client.getInstance({ name: 'eu' }))
    expect(error).toBeInstanceOf(ConnectionError)
    expect(error).toMatchObject({ message: 'cannot get a token: the keychain is locked' })
    expect(sent).toBe(0)
  })

  it('fails with a ConnectionError that says why no server answered', async () => {
    const cause = new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') })
    const error = await failure(clientOf(() => Promise.reject(cause)).getInstance({ name: 'eu' }))
    expect(error).toBeInstanceOf(ConnectionError)
    expect(error).toMatchObject({ message: 'cannot reach the server: connect ECONNREFUSED', cause })
  })
})

describe('a stream', () => {
  const read = async (fetch: Fetch): Promise<unknown[]> => {
    const found: unknown[] = []
    for await (const { type } of clientOf(fetch).watchInstances({})) found.push(type)
    return found
  }

  it('ends when the server says that it is complete', async () => {
    const text = 'data: {"type":"RESET"}\n\nevent: end\ndata: {"code":0,"message":"","details":[]}\n\n'
    expect(await read(answering(200, text))).toEqual([1])
  })

  it('fails with what the server says, and where it breaks off without a word', async () => {
    const refused = 'event: end\ndata: {"code":14,"message":"too slow a reader"}\n\n'
    expect(await failure(read(answering(200, refused)))).toMatchObject({
      code: Code.UNAVAILABLE,
      message: 'too slow a reader',
    })
    expect(await failure(read(answering(200, 'data: {"type":"RESET"}\n\n')))).toBeInstanceOf(ConnectionError)
    expect(await failure(read(answering(403, '{"code":7,"message":"no"}')))).toMatchObject({
      httpStatus: 403,
    })
  })

  it('hangs up when its reader leaves', async () => {
    const signals: AbortSignal[] = []
    const fetch: Fetch = async (_url, { signal }) => {
      signals.push(signal)
      const endless = new ReadableStream({
        pull: controller => controller.enqueue(new TextEncoder().encode('data: {"type":"ADDED"}\n\n')),
      })
      return new Response(endless)
    }
    for await (const _ of clientOf(fetch).watchInstances({})) break
    expect(signals.map(({ aborted }) => aborted)).toEqual([true])
  })
})
