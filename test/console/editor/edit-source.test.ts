import { describe, expect, it } from 'vitest'
import { editSource } from '../../../console/editor/edit-source.js'
import { textOf } from '../../../console/editor/manifest.js'
import { KubeApi, type KubeFetch } from '../../../console/kube/kube-api.js'

const type = { group: '', version: 'v1', resource: 'configmaps', kind: 'ConfigMap', isNamespaced: true }
const at = { type, namespace: 'shop', name: 'a' }
const base = { text: 'as it was', uid: 'u', resourceVersion: '1' }
const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n'
const second = text.replace('name: a', 'name: b')
const never = new AbortController().signal

interface Sent {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly body: string
}

/** An instance's API that answers by method and path, and what was sent to it. */
function fakeApi(answer: (sent: Sent) => { status?: number; body: unknown } | undefined) {
  const sent: Sent[] = []
  const send: KubeFetch = async (url, { method, body = '' }) => {
    const [path = '', query = ''] = url.replace(/^.*\/proxy/, '').split('?')
    const one = { method, path, query, body }
    const discovery = path === '/api/v1' && {
      body: { resources: [{ name: 'configmaps', kind: 'ConfigMap', namespaced: true }] },
    }
    if (!discovery) sent.push(one)
    const { status = 200, body: answered } = discovery || answer(one) || { body: JSON.parse('{}') }
    return { status, headers: { get: () => null }, body: new Response(JSON.stringify(answered)).body }
  }
  return { api: new KubeApi(crypto.randomUUID(), send), sent }
}

const stored = (resourceVersion: string, data = 'v') => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', namespace: 'shop', uid: 'u', resourceVersion },
  data: { k: data },
})
const refusal = (code: number, reason: string) => ({
  status: code,
  body: { kind: 'Status', code, reason, message: `refused: ${reason}` },
})

describe('an edit over an instance’s own API', () => {
  it('is checked by a strict dry run of the whole object at the version it was read', async () => {
    const { api, sent } = fakeApi(() => ({ body: stored('1', 'new') }))
    const event = await editSource(api, at).check(text, base, never)
    expect(event).toMatchObject({ type: 'checked', checked: { before: 'as it was', warnings: [] } })
    expect(sent).toMatchObject([{ method: 'PUT', path: '/api/v1/namespaces/shop/configmaps/a' }])
    expect(sent[0]?.query).toBe('fieldManager=kairship-console&fieldValidation=Strict&dryRun=All')
    expect(sent[0]?.body).toContain('resourceVersion: "1"')
  })

  it('is sent once when it is applied, also when the answer is cut off', async () => {
    let calls = 0
    const { api, sent } = fakeApi(() => {
      calls += 1
      throw new TypeError('the network is gone')
    })
    expect(await editSource(api, at).apply(text, base)).toMatchObject({
      type: 'failed',
      problem: { name: 'UnknownOutcome', message: expect.stringContaining('not known') },
    })
    expect([calls, sent.length]).toEqual([1, 1])
  })

  it('is a conflict when the object has changed since, with its new version', async () => {
    const { api } = fakeApi(({ method }) =>
      method === 'PUT' ? refusal(409, 'Conflict') : { body: stored('2', 'theirs') },
    )
    expect(await editSource(api, at).apply(text, base)).toMatchObject({
      type: 'conflicted',
      theirs: { resourceVersion: '2', text: expect.stringContaining('k: theirs') },
    })
  })

  it('is no conflict when the object has not changed', async () => {
    const { api } = fakeApi(({ method }) =>
      method === 'PUT' ? refusal(409, 'Conflict') : { body: stored('1') },
    )
    expect(await editSource(api, at).check(text, base, never)).toMatchObject({ type: 'failed' })
  })

  it('is retried with a newer version when the edited text has not changed', async () => {
    const versions = ['2', '3']
    const { api, sent } = fakeApi(({ method, body }) => {
      if (method === 'GET') return { body: stored(versions.shift() ?? '3') }
      return body.includes('resourceVersion: "3"') ? { body: stored('4') } : refusal(409, 'Conflict')
    })
    const unchanged = { ...base, text: textOf(stored('1')) }
    expect(await editSource(api, at).apply(text, unchanged)).toMatchObject({ type: 'applied' })
    expect(sent.map(({ method }) => method)).toEqual(['PUT', 'GET', 'PUT', 'GET', 'PUT'])
  })

  it('is a conflict in the end when the object changes all the time', async () => {
    let version = 1
    const { api, sent } = fakeApi(({ method }) => {
      version += 1
      return method === 'PUT' ? refusal(409, 'Conflict') : { body: stored(`${version}`) }
    })
    const unchanged = { ...base, text: textOf(stored('1')) }
    expect(await editSource(api, at).apply(text, unchanged)).toMatchObject({ type: 'conflicted' })
    expect(sent.filter(({ method }) => method === 'PUT')).toHaveLength(4)
  })

  it('reports that the object was deleted', async () => {
    const { api } = fakeApi(() => refusal(404, 'NotFound'))
    expect(await editSource(api, at).check(text, base, never)).toMatchObject({ type: 'gone' })
  })

  it.each([
    ['metadata.name', text.replace('name: a', 'name: other')],
    ['metadata.namespace', text.replace('name: a', 'name: a\n  namespace: other')],
  ])('of one object cannot change it to another by %s', async (field, changed) => {
    const { api, sent } = fakeApi(() => undefined)
    const event = await editSource(api, at).apply(changed, base)
    expect(event).toMatchObject({
      type: 'failed',
      problem: { problem: { is: 'other', field, value: 'other' } },
    })
    expect(sent).toEqual([])
  })

  it('creates several objects in their order, stops at the first refused one, and keeps the text of the others', async () => {
    const { api, sent } = fakeApi(({ body }) =>
      body.includes('name: b') ? refusal(403, 'Forbidden') : { status: 201, body: stored('1') },
    )
    const event = await editSource(api).apply(`${text}---\n${second}`, undefined)
    expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /api/v1/namespaces/default/configmaps',
      'POST /api/v1/namespaces/default/configmaps',
    ])
    expect(event).toMatchObject({ type: 'partlyApplied', stored: ['ConfigMap a'], text: second })
  })

  it('is refused, with advice, when the instance does not serve the kind', async () => {
    const { api } = fakeApi(() => undefined)
    const event = await editSource(api).check(text.replaceAll('ConfigMap', 'Nothing'), undefined, never)
    expect(event).toMatchObject({
      type: 'failed',
      problem: { what: 'Nothing', apiVersion: 'v1' },
    })
  })
})
