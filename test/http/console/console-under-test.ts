import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect } from 'vitest'
import type { ApiOptions } from '../../../http/api-options.js'
import { type Answer, closedAfterEach, curl, type Listening } from '../fakes/listening.js'

export const page =
  '<!doctype html><meta property="csp-nonce" nonce="{{nonce}}"><script src="/assets/a-1.js" nonce="{{nonce}}">'
export const script = `export const text = ${JSON.stringify('kairship '.repeat(200))}`

/** A built page of one script, and servers of it, for the tests of the file that calls this; closed after each. */
export function consoles() {
  const listening = closedAfterEach()
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kairship-console-'))
    await mkdir(join(folder, 'assets'))
    await writeFile(join(folder, 'index.html'), page)
    await writeFile(join(folder, 'assets/a-1.js'), script)
    await writeFile(join(folder, 'assets/a-1.js.br'), brotliCompressSync(script))
    await writeFile(join(folder, 'assets/a-1.js.gz'), gzipSync(script))
  })
  afterAll(() => rm(folder, { recursive: true }))
  return {
    start: (options: Partial<ApiOptions> = {}) => listening(undefined, { console: folder, ...options }),
    /** Without a page. */
    startWithout: () => listening(),
  }
}

/** What a browser adds to requests of the page that it got from this server, or from another replica of one address. */
export const ofPage = ({ running }: Listening) => ({
  'sec-fetch-site': 'same-origin',
  origin: running.url,
  host: new URL(running.url).host,
})

/** The name of a cookie of this server's page. */
export const cookieOf = (
  { running: { url } }: { readonly running: { readonly url: string } },
  purpose: string,
) => `__Host-kairship-${purpose}-${new URL(url).port}`

export const signIn = (api: Listening, by: object, headers: Record<string, string> = ofPage(api)) =>
  curl(api.running, '/console/session', {}, headers, 'POST', by)

/** The `Cookie` header after a sign-in. */
export async function session(api: Listening, token: string): Promise<string> {
  const { status, headers, text } = await signIn(api, { token })
  expect(status, text).toBe(200)
  return String(headers['set-cookie']).split(';')[0]!
}

export const message = ({ text }: Answer): string => JSON.parse(text).message
