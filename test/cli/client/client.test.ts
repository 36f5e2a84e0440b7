import type { RequestListener, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Client, createClient } from '../../../cli/client/client.js'
import { CommandError, ExitCode } from '../../../cli/exit-code.js'
import { jsonClient } from '../../../client/service-client.js'
import { createAuthority } from '../../../playground/apiserver/access/certificates.js'
import { InstanceService } from '../../../proto/gen/kairship/instance_pb.js'

let authority: string
let serving: { certificate: string; key: string }
let server: Server | undefined
beforeAll(async () => {
  const issuer = await createAuthority('client test')
  authority = issuer.certificate
  serving = await issuer.issueServing()
})
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

interface Given {
  readonly trusted?: boolean
  readonly requestTimeoutMs?: number
  readonly namedBy?: string
}

async function started(
  listener: RequestListener,
  { trusted = true, requestTimeoutMs = 300_000, namedBy }: Given = {},
) {
  server = createServer({ cert: serving.certificate, key: serving.key }, listener).listen(0, '127.0.0.1')
  await new Promise(resolve => server?.once('listening', resolve))
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const trust = trusted ? { certificateAuthorityData: authority } : {}
  return createClient(
    { server: url, token: 'hush', ...trust, ...(namedBy !== undefined && { namedBy }) },
    { requestTimeoutMs },
  )
}
const get = (client: Client, name = 'eu') => jsonClient(InstanceService, client).getInstance({ name })
const answering = (status: number, body: string) =>
  started((_request, response) => response.writeHead(status).end(body))

describe('the client', () => {
  it('sends its token and reads JSON', async () => {
    const client = await started((request, response) =>
      response.end(JSON.stringify({ seen: [request.method, request.url, request.headers.authorization] })),
    )
    expect(await get(client)).toEqual({
      seen: ['GET', '/apis/kairship.io/v1alpha1/instances/eu', 'Bearer hush'],
    })
    await client.close()
  })

  const refusals: [status: number, body: string, exitCode: ExitCode, message: RegExp][] = [
    [
      401,
      '{"code":16,"message":"no token"}',
      ExitCode.denied,
      /not known to the server: no token \(run "kairship login", or set KAIRSHIP_TOKEN/,
    ],
    [403, '{"code":7,"message":"viewer may not delete"}', ExitCode.denied, /^viewer may not delete$/],
    [404, '{"code":5,"message":"instance x not found"}', ExitCode.notFound, /^instance x not found$/],
    [503, '{"code":14,"message":"not synced"}', ExitCode.failed, /^not synced$/],
    [502, '<html>bad gateway</html>', ExitCode.failed, /^HTTP 502: <html>bad gateway/],
    [200, 'hello', ExitCode.failed, /not JSON: hello/],
  ]
  for (const [status, body, exitCode, message] of refusals)
    it(`turns ${status} ${body.slice(0, 20)} into exit code ${exitCode} with the reason`, async () => {
      const client = await answering(status, body)
      await expect(get(client)).rejects.toMatchObject({
        exitCode,
        message: expect.stringMatching(message),
      })
      await client.close()
    })

  it.each([
    [200, 65, /^the server’s answer is larger than 64 MiB/],
    [500, 2, /^the server’s answer is larger than 1 MiB/],
  ])('stops reading an answer %i that does not end', async (status, mebibytes, message) => {
    const client = await started((_request, response) => {
      response.writeHead(status)
      const chunk = Buffer.alloc(1 << 20, ' ')
      const write = (left: number): void => {
        if (left > 0) response.write(chunk, () => write(left - 1))
      }
      write(mebibytes)
    })
    await expect(get(client)).rejects.toMatchObject({
      exitCode: ExitCode.failed,
      message: expect.stringMatching(message),
    })
    await client.close()
  })

  it('refuses a server that it cannot verify, and does not send it the token', async () => {
    const seen: unknown[] = []
    const client = await started(
      (request, response) => {
        seen.push(request.headers)
        response.end('{}')
      },
      { trusted: false },
    )
    await expect(get(client)).rejects.toThrow(
      /cannot reach https:.*name its authority with --certificate-authority/,
    )
    expect(seen).toEqual([])
    await client.close()
  })

  it('says why there is no token, and blames no server', async () => {
    const cause = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' })
    const refusal = new CommandError('/logins/a.lock cannot be used: ENOSPC', ExitCode.failed, { cause })
    const client = createClient({ server: 'https://127.0.0.1:1' }, { requestTimeoutMs: 300_000 }, () =>
      Promise.reject(refusal),
    )
    await expect(get(client)).rejects.toBe(refusal)
    await client.close()
  })

  it('says what to check when no server listens', async () => {
    const client = await started(() => undefined)
    server?.close()
    await expect(get(client)).rejects.toThrow(/cannot reach https:.*ECONNREFUSED.*is it running/)
    await client.close()
  })

  it('names the file with the server’s URL, when no server listens and when the token is refused', async () => {
    const namedBy = 'home/client.yaml'
    const client = await started(
      (_request, response) => response.writeHead(401).end('{"message":"expired"}'),
      {
        namedBy,
      },
    )
    await expect(get(client)).rejects.toThrow(`not known to the server: expired (${namedBy} names the server`)
    server?.close()
    await client.close()
    const gone = createClient({ server: 'https://127.0.0.1:1', namedBy }, { requestTimeoutMs: 5_000 })
    await expect(get(gone)).rejects.toThrow(`(is it running? ${namedBy} names this server`)
    await gone.close()
  })

  it('fails when a server does not answer in time', async () => {
    const client = await started(() => undefined, { requestTimeoutMs: 50 })
    await expect(get(client)).rejects.toThrow(/no answer came within/)
    await client.close()
  })

  it('follows a stream beyond the request timeout, from the given version, until interrupted', async () => {
    let server: ServerResponse | undefined
    // The head must be there within the timeout, too; where a machine is too slow for that, a longer one shows the same.
    for (const requestTimeoutMs of [200, 2_000, 20_000]) {
      const client = await started(
        (request, response) => {
          if (request.url?.endsWith('/mute')) return
          server = response
          response.write(`: hello\n\ndata: {"url":"${request.url}"}\n\n`)
        },
        { requestTimeoutMs },
      )
      const { signal } = new AbortController()
      const stream = jsonClient(InstanceService, client).watchInstances({ resumeToken: '7' }, { signal })
      const first = await stream.next().catch((error: Error) => error)
      if (!(first instanceof Error && /no answer came within/.test(first.message))) {
        expect(first).toMatchObject({
          value: { url: expect.stringContaining('/instances:watch?resumeToken=7') },
        })
        await expect(get(client, 'mute')).rejects.toThrow(/no answer came within/)
        server?.write('data: {"later":true}\n\n')
        expect(await stream.next()).toMatchObject({ value: { later: true } })
        await client.close()
        return
      }
      await client.close()
    }
    expect.unreachable('no head within any timeout')
  })

  it('ends a stream with the error that the server sends', async () => {
    const client = await started((_request, response) => {
      response.end('event: end\ndata: {"code":14,"message":"too slow a reader"}\n\n')
    })
    const read = async () => {
      for await (const _ of jsonClient(InstanceService, client).watchInstances({}));
    }
    await expect(read()).rejects.toThrow('too slow a reader')
    await client.close()
  })
})
