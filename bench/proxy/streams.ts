/**
 * Watches for `bench/proxy.ts`, each end in a process of its own: `streams.js upstream` answers them as an API server
 * does, `streams.js reader` opens many and counts what comes.
 */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { IMPERSONATOR_TOKEN, TOKEN_ANSWER } from './impersonator.js'

/** Where watches are; `?events=N` sends N of 2 KB as fast as they are taken and ends, none stays silent after the first. */
export const WATCH_PATH = '/apis/bench/v1/things?watch=true'

const EVENT = `${JSON.stringify({ type: 'MODIFIED', object: { text: 'x'.repeat(1_950) } })}\n`

async function answer(asked: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(asked.url ?? '', 'https://x')
  response.setHeader('content-type', 'application/json')
  if (pathname === IMPERSONATOR_TOKEN) {
    response.writeHead(201).end(TOKEN_ANSWER)
    return
  }
  if (pathname !== '/apis/bench/v1/things') {
    const known = ['/version', '/readyz', '/api'].includes(pathname)
    response.writeHead(known ? 200 : 404).end('{"major":"1","minor":"36","gitVersion":"v1.36.2"}')
    return
  }
  response.write(EVENT)
  const events = Number(searchParams.get('events') ?? 0)
  for (let sent = 1; sent < events; sent++) {
    if (!response.write(EVENT) && !response.destroyed) {
      await Promise.race([once(response, 'drain'), once(response, 'close')])
    }
  }
  if (events > 0) response.end()
}

/** @param files certificate and key, as PEM files */
export function upstream([certificate = '', key = '']: readonly string[]): void {
  const server = createServer(
    { cert: readFileSync(certificate), key: readFileSync(key) },
    (asked, response) => {
      answer(asked, response).catch((error: unknown) => response.destroy(error as Error))
    },
  )
  server.listen(0, '127.0.0.1', () =>
    process.stdout.write(`listening on ${(server.address() as AddressInfo).port}\n`),
  )
}

/** Opens watches and says `open` once each has said something, and `over` with the count when all have ended. */
function reader([url = '', count = '', ...tokens]: readonly string[]): void {
  let [open, ended, events] = [0, 0, 0]
  let began = 0
  for (let index = 0; index < Number(count); index++) {
    const token = tokens[index % tokens.length]
    const asked = request(url, {
      agent: false,
      // What is measured is the way, and every way is on loopback.
      rejectUnauthorized: false,
      headers: token ? { authorization: `Bearer ${token}` } : {},
    })
    asked.on('error', error => process.stdout.write(`failed: ${error.message}\n`))
    asked.on('response', response => {
      if (response.statusCode !== 200) process.stdout.write(`failed: ${response.statusCode}\n`)
      response.once('data', () => {
        began ||= performance.now()
        if (++open === Number(count)) process.stdout.write('open\n')
      })
      response.on('data', (chunk: Buffer) => {
        for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) events += 1
      })
      response.on('error', error => process.stdout.write(`failed: ${error.message}\n`))
      response.on('end', () => {
        if (++ended < Number(count)) return
        process.stdout.write(
          `over ${JSON.stringify({ events, seconds: (performance.now() - began) / 1_000 })}\n`,
        )
        process.exit(0)
      })
    })
    asked.end()
  }
}

const [role, ...rest] = process.argv.slice(2)
if (role === 'upstream') upstream(rest)
if (role === 'reader') reader(rest)
