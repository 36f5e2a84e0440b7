import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { restApp } from '../../http/rest/app.js'
import { addDocuments } from '../../http/rest/documents.js'
import { openApiDocument } from '../../http/rest/openapi.js'
import { fakeMeter, testApi } from './fakes/api.js'

const { api, log } = testApi()
const document = openApiDocument(api.services) as unknown as {
  openapi: string
  paths: Record<string, Record<string, { operationId: string; parameters?: { name: string; in: string }[] }>>
  components: { schemas: Record<string, { properties?: Record<string, unknown>; enum?: string[] }> }
}

describe('the OpenAPI document', () => {
  it('is 3.1 and has every operation of the contract under its path, verb and operationId', () => {
    const contract = JSON.parse(
      readFileSync(join(import.meta.dirname, '../proto/contract-instance.json'), 'utf8'),
    ) as { operations: { service: string; rpc: string; method: string; path: string }[] }
    expect(document.openapi).toBe('3.1.0')
    for (const { service, rpc, method, path } of contract.operations) {
      expect(document.paths[path]?.[method.toLowerCase()]?.operationId).toBe(`${service}_${rpc}`)
    }
  })

  it('writes custom verbs and streams', () => {
    expect(document.paths['/apis/kairship.io/v1alpha1/instances:watch']?.get).toMatchObject({
      operationId: 'Instance_WatchInstances',
      responses: { 200: { content: { 'text/event-stream': {} } } },
    })
    expect(document.paths['/apis/kairship.io/v1alpha1/instances/{name}:explain']?.get).toMatchObject({
      parameters: [{ name: 'name', in: 'path', required: true }],
    })
  })

  it('names query parameters as they are written, with their types', () => {
    const parameters = document.paths['/apis/kairship.io/v1alpha1/instances']?.get?.parameters
    expect(parameters?.map(({ name }) => name)).toEqual(['name', 'page', 'pageSize', 'sortBy', 'sortDir'])
  })

  it('types int64 as text, enums by name, and says what is required', () => {
    const { ObjectMeta, InstanceStatusState, CreateInstanceRequest } = document.components.schemas
    expect(ObjectMeta?.properties?.creationTimestamp).toMatchObject({ type: 'string', format: 'int64' })
    expect(InstanceStatusState?.enum).toContain('INSTANCE_STATE_RUNNING')
    expect(CreateInstanceRequest).toMatchObject({ required: ['data'] })
  })

  it('refers only to schemas that it has', () => {
    const references = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(
      ([, name]) => name,
    )
    expect(references.length).toBeGreaterThan(20)
    expect(references.filter(name => !document.components.schemas[name!])).toEqual([])
  })

  it('is served next to a page that needs no network, and to nobody unknown', async () => {
    const app = restApp({
      ...api,
      operations: [],
      log,
      meter: fakeMeter().meter,
      further: app => addDocuments(app, api.services),
    })
    const get = (path: string, headers: Record<string, string> = {}) => app.request(path, { headers }, {})
    expect((await get('/docs')).status).toBe(401)
    expect((await get('/openapi.json')).status).toBe(401)
    const page = await (await get('/docs', { authorization: 'Bearer nobody' })).text()
    expect(page).toContain('ListInstances')
    expect(page).toContain('Lists instances. Callers who may not list all see those they may get.')
    expect(page).not.toMatch(/<script|https?:\/\//)
  })
})
