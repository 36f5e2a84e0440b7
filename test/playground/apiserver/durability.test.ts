import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { StatusError } from '../../../manifests/status-error.js'
import { startApiServer } from '../../../playground/apiserver/server.js'

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'apiserver-'))
})
afterEach(() => rm(dataDir, { recursive: true }))

const path = '/api/v1/namespaces/default/configmaps'
interface Meta {
  readonly metadata: { readonly uid: string; readonly resourceVersion: string }
}

it('a restarted server has the same address, CA, tokens, objects and versions', async () => {
  const before = await startApiServer({ name: 'kept', dataDir })
  const made = await before.local.request<Meta>({ method: 'POST', path, body: { metadata: { name: 'a' } } })
  const token = await before.issueToken({ name: 'ann' }, 600)
  const system = await before.local.request<Meta>({ method: 'GET', path: '/api/v1/namespaces/kube-system' })
  await before.close()
  const after = await startApiServer({ name: 'kept', dataDir })
  expect([after.url, after.certificateAuthority]).toEqual([before.url, before.certificateAuthority])
  const found = await after.local.request<Meta>({ method: 'GET', path: `${path}/a` })
  expect(found.metadata).toEqual(made.metadata)
  expect(await after.local.request({ method: 'GET', path: '/api/v1/namespaces/kube-system' })).toEqual(system)
  const review = await after.local.request({
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/tokenreviews',
    body: { spec: { token } },
  })
  expect(review).toMatchObject({ status: { authenticated: true, user: { username: 'ann' } } })
  await after.close()
})

it('a full disk makes writes fail with the reason, loses nothing, and recovers', async () => {
  const server = await startApiServer({ name: 'full', dataDir })
  const create = (name: string) =>
    server.local.request({ method: 'POST', path, body: { metadata: { name } } }).then(
      () => 'created',
      (error: StatusError) => `${error.code} ${error.message}`,
    )
  expect(await create('before')).toBe('created')
  const heal = server.interrupt({ kind: 'diskFull' })
  expect(await create('during')).toMatch(/^500 Internal error occurred: .*nothing was changed: ENOSPC/)
  expect(await server.local.request({ method: 'GET', path: `${path}/before` })).toBeDefined()
  heal()
  expect(await create('during')).toBe('created')
  await server.close()
  const again = await startApiServer({ name: 'full', dataDir })
  const list = await again.local.request<{ items: { metadata: { name: string } }[] }>({ method: 'GET', path })
  expect(list.items.map(item => item.metadata.name)).toEqual(['before', 'during', 'kube-root-ca.crt'])
  await again.close()
})
