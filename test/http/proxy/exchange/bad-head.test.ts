import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import type { Failure } from '../../../../http/errors/failure.js'
import { ProxyExchange } from '../../../../http/proxy/exchange/exchange.js'
import { refuse } from '../../../../http/proxy/refusal.js'
import { requestInfo } from '../../../../http/proxy/route/request-info.js'
import type { RawSink } from '../../../../ports/kube-api.js'

/** A request that is answered with this head: what its caller gets, as the proxy ends it. */
async function answeredWith(status: number, message: string, headers: readonly string[]) {
  let written = ''
  const reader = new Writable({
    write: (chunk, _encoding, taken) => {
      written += chunk
      taken()
    },
  })
  const request = new IncomingMessage(new Socket())
  const response = new ServerResponse(request)
  response.assignSocket(reader as Socket)
  let behind: RawSink | undefined
  const aborted: Error[] = []
  const path = '/version'
  const exchange = new ProxyExchange(
    request,
    response,
    {
      path,
      info: requestInfo('GET', path),
      caller: { user: 'a', groups: [], extra: {} },
      upstream: {
        send: (_, sink) => {
          behind = sink
          return { resume: () => undefined, abort: reason => aborted.push(reason) }
        },
      },
    },
    () => 0,
  )
  behind?.head(status, message, headers)
  const failure = await exchange.over.then(
    () => undefined,
    (error: Failure) => error,
  )
  if (failure) refuse(response, failure, 'r')
  return { written, failure, aborted }
}

describe('an answer with a head that Node.js refuses to write', () => {
  it.each<[string, number, string, readonly string[]]>([
    ['a control character in its text', 200, 'O\u0001K', []],
    ['a text beyond Latin-1', 200, '\u2028', []],
    ['a control character in a header', 200, 'OK', ['X', 'a\u0001b']],
    ['a name that is no token', 200, 'OK', ['a b', 'c']],
    ['a status below 100', 99, 'x', []],
    ['a status above 999', 1_000, 'x', []],
  ])('becomes a 502, and no error reaches the connection to the instance: %s', async (_, ...head) => {
    const { written, failure, aborted } = await answeredWith(...head)
    expect(aborted).toEqual([failure])
    expect(written).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n/)
    expect(written).toContain('the instance answered with a head that HTTP does not allow')
  })
})
