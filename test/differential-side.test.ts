import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ApiServer, startApiServer } from '../playground/apiserver/server.js'
import { waitFor } from './patience.js'
import { ApiClient, type ApiObject } from './real/api-client.js'
import { put } from './real/differential/side.js'

const PATH = '/api/v1/namespaces/default/configmaps'
const settings = (value: string, finalizers: readonly string[] = []): ApiObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'settings', finalizers },
  data: { value },
})

let server: ApiServer
let control: ApiClient
beforeAll(async () => {
  server = await startApiServer({ name: 'side' })
  const token = await server.issueToken({ name: 'differential', groups: ['system:masters'] }, 3_600)
  control = new ApiClient({ url: server.url, ca: server.certificateAuthority, token })
})
afterAll(async () => {
  await control.close()
  await server.close()
})

it('a step of a differential history is not written to an object that is on its way out', async () => {
  await control.must('POST', PATH, settings('before', ['example.test/hold']))
  await control.must('DELETE', `${PATH}/settings`)
  const refusals: unknown[] = []
  const watched = Object.assign(Object.create(control) as ApiClient, {
    send: async (...request: Parameters<ApiClient['send']>) => {
      const answer = await control.send(...request)
      if (request[0] === 'POST') refusals.push(answer.body)
      return answer
    },
  })
  const side = { name: 'one', control: watched, members: new Map() }
  const written = put(side, 'v1/configmaps', 'default', settings('after'), 'data')
  await waitFor(() => expect(refusals).toContainEqual(expect.objectContaining({ reason: 'AlreadyExists' })))
  const { data, metadata } = await control.must<ApiObject>(
    'PATCH',
    `${PATH}/settings`,
    { metadata: { finalizers: null } },
    { 'content-type': 'application/merge-patch+json' },
  )
  await written
  expect(data).toEqual({ value: 'before' })
  const next = await control.must<ApiObject>('GET', `${PATH}/settings`)
  expect(next.data).toEqual({ value: 'after' })
  expect(next.metadata.uid).not.toBe(metadata.uid)
})
