import { hash } from 'node:crypto'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { addDocuments } from '../../../http/rest/documents.js'
import type { RestEnv } from '../../../http/rest/env.js'
import { prose } from '../../../http/rest/page-prose.js'
import { type PageWindow, tryCalls } from '../../../http/rest/page-script.js'
import { waitFor } from '../../patience.js'
import { testApi } from '../fakes/api.js'
import { curl, listeningApi } from '../fakes/listening.js'

const { api, app } = testApi()
const documents = new Hono<RestEnv>()
addDocuments(documents, api.services)
const page = await (await documents.request('/docs')).text()

describe('the documentation page', () => {
  it('and the OpenAPI document open without credentials, and no other page does', async () => {
    const { running } = await listeningApi()
    for (const path of ['/docs', '/openapi.json']) expect((await curl(running, path)).status).toBe(200)
    for (const path of ['/docs/x', '/metrics', '/apis/kairship.io/v1alpha1/instances'])
      expect((await curl(running, path)).status).toBe(401)
    expect((await curl(running, '/docs', {}, {}, 'POST')).status).toBe(401)
    await running.close()
  })

  it('runs only its own script and style, and connects only to its own server', async () => {
    const policy = (await documents.request('/docs')).headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("connect-src 'self'")
    expect(policy).not.toContain('unsafe')
    for (const tag of ['script', 'style']) {
      const found = [...page.matchAll(new RegExp(`<${tag}>(.*?)</${tag}>`, 'gs'))]
      expect(found).toHaveLength(1)
      expect(policy).toContain(`${tag}-src 'sha256-${hash('sha256', found[0]![1]!, 'base64')}'`)
    }
    expect(page).not.toMatch(/\s(on\w+|style|src)=/)
  })

  it('has the operations of each service under its name and comment, and a table of contents', () => {
    const headings = [...page.matchAll(/<h2 id="service-(\w+)">(\w+)<\/h2>\s*<p>(.*?)<\/p>/gs)]
    expect(headings).toHaveLength(api.services.length)
    expect(headings.every(([, id, name, comment = '']) => id === name && comment.length > 20)).toBe(true)
    const links = [...page.matchAll(/<li><a href="#(\w+_\w+)">/g)].map(([, id]) => id)
    const sections = [...page.matchAll(/<section id="(\w+_\w+)">/g)].map(([, id]) => id)
    expect(links).toEqual(sections)
    expect(page.indexOf('id="Apps_GetDeployment"')).toBeGreaterThan(page.indexOf('id="service-Apps"'))
  })

  it('has a form for each operation with its method, path and fields', () => {
    expect(page).toContain('Lists instances. Callers who may not list all see those they may get.')
    const forms = [...page.matchAll(/<form data-verb="(\w+)" data-path="([^"]+)">/g)]
    const served = api.services.flatMap(({ operations }) => operations.flatMap(({ bindings }) => bindings))
    expect(forms).toHaveLength(served.length)
    expect(page).toContain('<label>pageSize <input name="query:pageSize"></label>')
    expect(page).toContain('<label>name <input name="path:name" required></label>')
    expect(page).toContain(
      '<label>sortDir <select name="query:sortDir"><option></option><option>desc</option><option>asc</option></select></label>',
    )
  })
})

type Listener = (event: { preventDefault(): void }) => void

describe('a comment on the page', () => {
  it.each([
    ['Read only when `sortBy` is given.', 'Read only when <code>sortBy</code> is given.'],
    ['a < b, `c < d`', 'a &lt; b, <code>c &lt; d</code>'],
    ['one ` stays', 'one ` stays'],
    ['`a` and one ` stays', '<code>a</code> and one ` stays'],
    [
      'What to sort by.\n- A: By `a`.\n- B: By b.',
      'What to sort by.<ul><li>A: By <code>a</code>.</li><li>B: By b.</li></ul>',
    ],
    ['', ''],
  ])('%j is rendered as %s', (text, shown) => expect(String(prose(text))).toBe(shown))

  it('never renders a backtick', () => {
    expect(page.replace(/<script>.*<\/script>/s, '')).not.toContain('`')
  })
})

/** A form of the page in a browser's place: its fields are set by the test, and what is shown is read by it. */
function browser(verb: string, path: string, fields: [string, string][], token: string) {
  const listeners = new Map<string, Listener>()
  const shown = { textContent: '' as string | null }
  const blank = { dataset: {}, value: '', querySelector: () => null, querySelectorAll: () => [] }
  const element = { ...blank, textContent: '', addEventListener: () => undefined }
  const form = {
    ...element,
    dataset: { verb, path },
    querySelector: (selector: string) =>
      selector === 'pre'
        ? (shown as typeof element)
        : { ...element, addEventListener: (_: string, stop: Listener) => void listeners.set('stop', stop) },
    addEventListener: (type: string, listener: Listener) => void listeners.set(type, listener),
  }
  const sent: { url: string; init: RequestInit }[] = []
  const window: PageWindow = {
    document: {
      querySelector: () => ({ ...element, value: token }),
      querySelectorAll: () => [form],
    },
    async fetch(url, init) {
      sent.push({ url, init })
      return app.request(url, init, {})
    },
    FormData: class {
      *[Symbol.iterator]() {
        yield* fields
      }
    } as unknown as PageWindow['FormData'],
  }
  tryCalls(window)
  let prevented = 0
  const fire = (type: string) => listeners.get(type)?.({ preventDefault: () => void prevented++ })
  return { shown, sent, fire, prevented: () => prevented }
}

const root = '/apis/kairship.io/v1alpha1/instances'

describe('a call from the documentation page', () => {
  it('sends path, query and token, and displays the answer', async () => {
    const fields: [string, string][] = [
      ['query:name', 'o'],
      ['query:page', ''],
    ]
    const { shown, sent, fire, prevented } = browser('GET', root, fields, 'viewer')
    fire('submit')
    await waitFor(() => expect(shown.textContent).toMatch(/^200 .*"name": "north"/s))
    expect(sent[0]?.url).toBe(`${root}?name=o`)
    expect(prevented()).toBe(1)
  })

  it('encodes path parameters and sends a body as JSON', async () => {
    const fields: [string, string][] = [
      ['path:name', 'a/b?'],
      ['body', '{"data":"{}"}'],
    ]
    const { sent, shown, fire } = browser('PUT', `${root}/{name}`, fields, 'admin')
    fire('submit')
    await waitFor(() => expect(shown.textContent).toMatch(/^4\d\d /))
    expect(sent[0]).toMatchObject({
      url: `${root}/a%2Fb%3F`,
      init: { method: 'PUT', body: '{"data":"{}"}', headers: { 'content-type': 'application/json' } },
    })
  })

  it('displays a refusal without a token', async () => {
    const { shown, fire } = browser('GET', root, [], '')
    fire('submit')
    await waitFor(() => expect(shown.textContent).toMatch(/^401 .*no credentials/s))
  })

  it('displays a stream as it arrives, until it is stopped', async () => {
    const { shown, sent, fire } = browser('GET', `${root}:watch`, [], 'viewer')
    fire('submit')
    await waitFor(() => expect(shown.textContent).toContain('BOOKMARK'))
    fire('stop')
    await waitFor(() => expect(sent[0]?.init.signal?.aborted).toBe(true))
  })
})

describe('a method that a path does not serve', () => {
  it.each([
    ['PATCH', `${root}/north`, 'DELETE, GET, HEAD, PUT'],
    ['OPTIONS', `${root}/north`, 'DELETE, GET, HEAD, PUT'],
    ['OPTIONS', root, 'GET, HEAD, POST'],
    ['DELETE', `${root}/north/json`, 'GET, HEAD'],
    ['PATCH', `${root}:watch`, 'GET, HEAD'],
  ])('%s %s gets a 405 with the allowed methods', async (method, path, allow) => {
    const response = await app.request(path, { method, headers: { authorization: 'Bearer admin' } }, {})
    expect([response.status, response.headers.get('allow')]).toEqual([405, allow])
    expect(await response.json()).toMatchObject({ code: 12, message: expect.stringContaining(allow) })
  })

  it('gets a 401 from anonymous callers, and an unserved path still gets a 404', async () => {
    expect((await app.request(`${root}/north`, { method: 'PATCH' }, {})).status).toBe(401)
    const headers = { authorization: 'Bearer admin' }
    expect((await app.request('/nowhere', { method: 'PATCH', headers }, {})).status).toBe(404)
  })
})
