import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { StatusError } from '../../../manifests/status-error.js'
import { type JsonObject, objectAt } from '../../../playground/apimachinery/json.js'
import { type ApiServer, startApiServer } from '../../../playground/apiserver/server.js'

let server: ApiServer
beforeAll(async () => {
  server = await startApiServer({ name: 'loops' })
})
afterAll(() => server.close())

interface Thing {
  readonly metadata: {
    readonly name: string
    readonly uid: string
    readonly deletionTimestamp?: string
    readonly finalizers?: string[]
    readonly ownerReferences?: unknown[]
  }
  readonly data?: Record<string, string>
}

const post = (path: string, body: object) => server.local.request<Thing>({ method: 'POST', path, body })
const get = (path: string) => server.local.request<Thing>({ method: 'GET', path })
const remove = (path: string, body?: object) =>
  server.local.request({ method: 'DELETE', path, ...(body ? { body } : {}) })
const patch = (path: string, body: object) =>
  server.local.request({ method: 'PATCH', path, body, contentType: 'application/merge-patch+json' })
const reasonOf = (path: string) =>
  get(path).then(
    () => 'there',
    (error: StatusError) => error.reason,
  )
const namespace = (name: string) => post('/api/v1/namespaces', { metadata: { name } })

const ownedBy = (owner: Thing, more: object = {}) => ({
  ownerReferences: [
    { apiVersion: 'v1', kind: 'ConfigMap', name: owner.metadata.name, uid: owner.metadata.uid, ...more },
  ],
})

describe('garbage collection', () => {
  const path = '/api/v1/namespaces/default/configmaps'
  const make = (name: string, metadata: object = {}) => post(path, { metadata: { name, ...metadata } })

  it('deletes the dependents of a deleted owner, and their dependents', async () => {
    const root = await make('root')
    const child = await make('child', ownedBy(root))
    await make('grandchild', ownedBy(child))
    await remove(`${path}/root`)
    await expect.poll(() => reasonOf(`${path}/grandchild`)).toBe('NotFound')
  })

  it('keeps a dependent with another owner, and removes the reference to the deleted one', async () => {
    const [one, two] = [await make('one'), await make('two')]
    const references = [...ownedBy(one).ownerReferences, ...ownedBy(two).ownerReferences]
    await make('shared', { ownerReferences: references })
    await remove(`${path}/one`)
    await expect
      .poll(() => get(`${path}/shared`).then(thing => thing.metadata.ownerReferences?.length))
      .toBe(1)
  })

  it('with Orphan removes the references of dependents, then deletes the owner', async () => {
    const owner = await make('orphaning')
    await make('orphan', ownedBy(owner))
    await remove(`${path}/orphaning`, { propagationPolicy: 'Orphan' })
    await expect.poll(() => reasonOf(`${path}/orphaning`)).toBe('NotFound')
    expect((await get(`${path}/orphan`)).metadata.ownerReferences).toBeUndefined()
  })

  it('with Foreground keeps the owner until its blocking dependents are deleted', async () => {
    const owner = await make('patient')
    await make('blocking', {
      ...ownedBy(owner, { blockOwnerDeletion: true }),
      finalizers: ['example.com/hold'],
    })
    await remove(`${path}/patient`, { propagationPolicy: 'Foreground' })
    await expect
      .poll(() => get(`${path}/blocking`).then(thing => thing.metadata.deletionTimestamp))
      .toBeDefined()
    expect((await get(`${path}/patient`)).metadata.finalizers).toEqual(['foregroundDeletion'])
    await patch(`${path}/blocking`, { metadata: { finalizers: null } })
    await expect.poll(() => reasonOf(`${path}/patient`)).toBe('NotFound')
  })

  it('deletes an object whose owner never existed', async () => {
    const stray = { metadata: { name: 'nobody', uid: '00000000-0000-0000-0000-000000000000' } }
    await make('stray', ownedBy(stray))
    await expect.poll(() => reasonOf(`${path}/stray`)).toBe('NotFound')
  })
})

describe('a namespace', () => {
  it('is deleted with its content, after that content’s finalizers', async () => {
    await namespace('full')
    const path = '/api/v1/namespaces/full/configmaps'
    await post(path, { metadata: { name: 'held', finalizers: ['example.com/hold'] } })
    await remove('/api/v1/namespaces/full')
    await expect
      .poll(() => get('/api/v1/namespaces/full'))
      .toMatchObject({
        status: {
          phase: 'Terminating',
          conditions: expect.arrayContaining([
            expect.objectContaining({
              type: 'NamespaceFinalizersRemaining',
              status: 'True',
              message:
                'Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances',
            }),
          ]),
        },
      })
    await patch(`${path}/held`, { metadata: { finalizers: [] } })
    await expect.poll(() => reasonOf('/api/v1/namespaces/full')).toBe('NotFound')
  })

  it('that is terminating refuses new content', async () => {
    await namespace('closing')
    await post('/api/v1/namespaces/closing/configmaps', {
      metadata: { name: 'x', finalizers: ['example.com/hold'] },
    })
    await remove('/api/v1/namespaces/closing')
    const refused = await post('/api/v1/namespaces/closing/configmaps', { metadata: { name: 'late' } }).catch(
      e => e,
    )
    expect(refused.message).toBe(
      'configmaps "late" is forbidden: unable to create new content in namespace closing because it is being terminated',
    )
    expect(refused.status.details.causes[0].reason).toBe('NamespaceTerminating')
  })

  it('is not emptied before its grace is over', async () => {
    const patient = await startApiServer({ name: 'patient', namespaceGraceMs: 60_000 })
    const request = (method: 'POST' | 'GET' | 'DELETE', path: string, body?: object) =>
      patient.local.request<Thing>({ method, path, ...(body && { body }) })
    const path = '/api/v1/namespaces/slow/configmaps'
    await request('POST', '/api/v1/namespaces', { metadata: { name: 'slow' } })
    for (const name of ['a', 'b']) await request('POST', path, { metadata: { name } })
    await request('DELETE', '/api/v1/namespaces/slow')
    // Something that leaves it has it looked at no sooner.
    await request('DELETE', `${path}/a`)
    await request('POST', '/api/v1/namespaces', { metadata: { name: 'other' } })
    await expect
      .poll(() => request('GET', '/api/v1/namespaces/other/serviceaccounts/default'))
      .toMatchObject({ metadata: { name: 'default' } })
    expect((await request('GET', `${path}/b`)).metadata.name).toBe('b')
    await patient.close()
  })

  it('loses what may be deleted, and says what may not, until it may', async () => {
    const isKept = ({ metadata }: JsonObject) => objectAt(metadata, 'labels').keep === 'yes'
    const guarded = await startApiServer({
      name: 'guarded',
      webhooks: {
        mutate: object => object,
        validate: () => undefined,
        validateDeletion: object =>
          isKept(object) ? { webhook: 'keep.example.com', message: 'no' } : undefined,
      },
    })
    const request = (method: 'POST' | 'GET' | 'DELETE' | 'PATCH', path: string, body?: object) =>
      guarded.local.request<Thing>({
        method,
        path,
        ...(body && { body }),
        ...(method === 'PATCH' && { contentType: 'application/merge-patch+json' }),
      })
    const gone = (path: string) =>
      request('GET', path).then(
        () => false,
        (error: StatusError) => error.reason === 'NotFound',
      )
    const path = '/api/v1/namespaces/kept'
    await request('POST', '/api/v1/namespaces', { metadata: { name: 'kept' } })
    await request('POST', `${path}/configmaps`, { metadata: { name: 'a', labels: { keep: 'yes' } } })
    await request('POST', `${path}/configmaps`, { metadata: { name: 'b' } })
    await request('POST', `${path}/secrets`, { metadata: { name: 'c' } })
    await request('DELETE', path)
    await expect.poll(() => gone(`${path}/configmaps/b`)).toBe(true)
    await expect.poll(() => gone(`${path}/secrets/c`)).toBe(true)
    await expect
      .poll(() => request('GET', path))
      .toMatchObject({
        status: {
          conditions: expect.arrayContaining([
            expect.objectContaining({
              type: 'NamespaceDeletionContentFailure',
              status: 'True',
              reason: 'ContentDeletionFailed',
              message:
                'Failed to delete all resource types, 1 remaining: admission webhook "keep.example.com" denied the request: no',
            }),
          ]),
        },
      })
    await request('PATCH', `${path}/configmaps/a`, { metadata: { labels: { keep: null } } })
    await expect.poll(() => gone(path)).toBe(true)
    await guarded.close()
  })

  it('stays while an aggregated API is away, and reports that in a condition', async () => {
    const api = await server.aggregate({ group: 'away.example.com', version: 'v1', definitions: [] })
    await api.setAvailable(false)
    await namespace('stuck')
    await remove('/api/v1/namespaces/stuck')
    await expect
      .poll(() => get('/api/v1/namespaces/stuck'))
      .toMatchObject({
        status: {
          conditions: [
            { type: 'NamespaceDeletionDiscoveryFailure', status: 'True', reason: 'DiscoveryFailed' },
            {},
          ],
        },
      })
    await api.setAvailable(true)
    await expect.poll(() => reasonOf('/api/v1/namespaces/stuck')).toBe('NotFound')
    await api.remove()
  })

  it('has its name as a label, a default ServiceAccount and the root CA ConfigMap', async () => {
    await namespace('furnished')
    expect(await get('/api/v1/namespaces/furnished')).toMatchObject({
      metadata: { labels: { 'kubernetes.io/metadata.name': 'furnished' } },
    })
    await expect.poll(() => reasonOf('/api/v1/namespaces/furnished/serviceaccounts/default')).toBe('there')
    await expect
      .poll(() => reasonOf('/api/v1/namespaces/furnished/configmaps/kube-root-ca.crt'))
      .toBe('there')
  })
})

describe('token Secrets', () => {
  const secrets = '/api/v1/namespaces/default/secrets'
  const tokenSecret = (name: string, account: string) => ({
    metadata: { name, annotations: { 'kubernetes.io/service-account.name': account } },
    type: 'kubernetes.io/service-account-token',
  })

  it('get a token that authenticates as the account until the Secret is deleted', async () => {
    await post('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'robot' } })
    await post(secrets, tokenSecret('robot-token', 'robot'))
    await expect.poll(() => get(`${secrets}/robot-token`).then(secret => secret.data?.token)).toBeDefined()
    const { data } = await get(`${secrets}/robot-token`)
    const token = Buffer.from(data?.token ?? '', 'base64').toString()
    const review = () =>
      post('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token } }) as Promise<unknown>
    expect(await review()).toMatchObject({
      status: { authenticated: true, user: { username: 'system:serviceaccount:default:robot' } },
    })
    expect(Buffer.from(data?.['ca.crt'] ?? '', 'base64').toString()).toBe(server.certificateAuthority)
    await remove(`${secrets}/robot-token`)
    expect(await review()).toMatchObject({ status: { error: 'invalid bearer token' } })
  })

  it('of an account that does not exist are deleted', async () => {
    await post(secrets, tokenSecret('ghost-token', 'ghost'))
    await expect.poll(() => reasonOf(`${secrets}/ghost-token`)).toBe('NotFound')
  })
})
