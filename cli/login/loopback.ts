import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resultPage } from './result-page.js'

/** Where an issuer's redirect arrives: a server on 127.0.0.1 and a port that is free (RFC 8252, section 7.3). */
export interface Loopback {
  readonly redirectUri: string
  /** The first redirect with this state. Others, and requests of anybody else, are refused and change nothing. */
  redirect(state: string, signal: AbortSignal): Promise<Redirect>
  close(): Promise<void>
}

/** A redirect that waits for its answer, so that the page says how the login really ended. */
export interface Redirect {
  readonly url: URL
  /** @param problem what went wrong; undefined where nothing did */
  answer(problem?: string): void
}

const PATH = '/callback'

/** Begins to listen. */
export async function openLoopback(): Promise<Loopback> {
  let wanted: { readonly state: string; readonly found: (redirect: Redirect) => void } | undefined
  const server = createServer((request, response) => {
    const target = request.url ?? '/'
    // Anyone may send what is no address, such as `//`, and an error here would end the login.
    const url = URL.canParse(target, origin) ? new URL(target, origin) : undefined
    // A page of another site can make a browser send requests here, under a name of its own that leads to this address.
    const isOurs =
      request.headers.host === new URL(origin).host && request.method === 'GET' && url?.pathname === PATH
    if (!isOurs) return send(response, 404, 'Nothing is here', 'This address serves one login of kairship.')
    if (!wanted || url.searchParams.get('state') !== wanted.state)
      return send(
        response,
        400,
        'That is another login',
        'Go back to the terminal, and use the address that it shows.',
      )
    const { found } = wanted
    wanted = undefined
    found({
      url,
      answer: problem =>
        problem === undefined
          ? send(response, 200, 'You are logged in', 'Close this page, and go back to the terminal.')
          : send(response, 400, 'You are not logged in', problem),
    })
  })
  // One login has a few requests; nothing else may keep the process.
  server.maxConnections = 16
  server.headersTimeout = 10_000
  server.requestTimeout = 10_000
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    redirectUri: `${origin}${PATH}`,
    redirect: (state, signal) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted()
        wanted = { state, found: resolve }
        signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      }),
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        // The page that was just answered may be on its way still.
        server.closeIdleConnections()
        setTimeout(() => server.closeAllConnections(), LAST_ANSWER_MS).unref()
      }),
  }
}

/** How long the last answer may take to leave, milliseconds. */
const LAST_ANSWER_MS = 1_000

function send(response: ServerResponse, status: number, title: string, text: string): void {
  response
    .writeHead(status, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      'cache-control': 'no-store',
      // The address has the code; it is used by now, and goes nowhere.
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      connection: 'close',
    })
    .end(resultPage(title, text))
}
