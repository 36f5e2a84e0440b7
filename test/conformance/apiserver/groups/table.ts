import { expect } from 'vitest'
import { type Bench, behaviour, deployment, type Group, type Json } from '../behaviour.js'

const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json'

async function table(k: Bench, path: string, query = {}): Promise<Json> {
  return k.ok(await k.admin.get(path, query, { accept }))
}

/** Names of the columns shown without -o wide, and with it. */
function columns({ columnDefinitions }: Json): { narrow: string[]; wide: string[] } {
  return {
    narrow: columnDefinitions.filter(({ priority }: Json) => priority === 0).map(({ name }: Json) => name),
    wide: columnDefinitions.map(({ name }: Json) => name),
  }
}

/** The tables that `kubectl get` prints. */
export const tables: Group = {
  name: 'table',
  behaviours: [
    behaviour('a list as Table has columns and a row per object', async k => {
      const { metadata } = await k.configMap()
      const body = await table(k, k.core('configmaps'), { fieldSelector: `metadata.name=${metadata.name}` })
      expect(body).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1' })
      expect(body.metadata.resourceVersion).toMatch(/^\d+$/)
      expect(columns(body).narrow).toEqual(['Name', 'Data', 'Age'])
      expect(body.rows).toHaveLength(1)
      expect(body.rows[0].cells.slice(0, 2)).toEqual([metadata.name, 1])
    }),
    behaviour('a column says its type, format, description and priority', async k => {
      const body = await table(k, k.core('configmaps'))
      expect(body.columnDefinitions[0]).toEqual({
        name: 'Name',
        type: 'string',
        format: 'name',
        description: expect.stringMatching(/^Name must be unique within a namespace\./),
        priority: 0,
      })
    }),
    behaviour('a row carries the object’s metadata by default', async k => {
      await k.configMap()
      const body = await table(k, k.core('configmaps'))
      expect(body.rows[0].object).toMatchObject({
        kind: 'PartialObjectMetadata',
        apiVersion: 'meta.k8s.io/v1',
      })
      expect(body.rows[0].object.metadata.uid).toEqual(expect.any(String))
      expect(body.rows[0].object.data).toBeUndefined()
    }),
    behaviour('includeObject=Object puts the whole object in the row', async k => {
      await k.configMap()
      const body = await table(k, k.core('configmaps'), { includeObject: 'Object' })
      expect(body.rows[0].object).toMatchObject({ kind: 'ConfigMap', data: expect.anything() })
    }),
    behaviour('includeObject=None leaves the object out', async k => {
      await k.configMap()
      const body = await table(k, k.core('configmaps'), { includeObject: 'None' })
      expect(body.rows[0].object ?? null).toBeNull()
    }),
    behaviour('one object as Table has one row', async k => {
      const { metadata } = await k.configMap()
      const body = await table(k, k.core('configmaps', metadata.name))
      expect(body.rows).toHaveLength(1)
    }),
    behaviour('an absent object as Table is a Status', async k => {
      const { status, body } = await k.admin.get(k.core('configmaps', 'absent'), {}, { accept })
      expect(status).toBe(404)
      expect(body.kind).toBe('Status')
    }),
    behaviour('a Deployment shows what is ready of what is wanted', async k => {
      const name = k.name()
      await k.made(k.apps('deployments'), deployment(name, { replicas: 3 }))
      const body = await table(k, k.apps('deployments', name))
      expect(columns(body)).toEqual({
        narrow: ['Name', 'Ready', 'Up-to-date', 'Available', 'Age'],
        wide: ['Name', 'Ready', 'Up-to-date', 'Available', 'Age', 'Containers', 'Images', 'Selector'],
      })
      expect(body.rows[0].cells.slice(0, 4)).toEqual([name, '0/3', 0, 0])
      expect(body.rows[0].cells.slice(5)).toEqual(['main', 'example.test/main:1', `app=${name}`])
    }),
    behaviour('a Namespace shows its phase', async k => {
      const body = await table(k, `/api/v1/namespaces/${k.namespace}`)
      expect(columns(body).narrow).toEqual(['Name', 'Status', 'Age'])
      expect(body.rows[0].cells.slice(0, 2)).toEqual([k.namespace, 'Active'])
    }),
    behaviour('a Secret shows its type and how many keys it has', async k => {
      const name = k.name()
      await k.made(k.core('secrets'), {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name },
        stringData: { a: '1', b: '2' },
      })
      const body = await table(k, k.core('secrets', name))
      expect(columns(body).narrow).toEqual(['Name', 'Type', 'Data', 'Age'])
      expect(body.rows[0].cells.slice(0, 3)).toEqual([name, 'Opaque', 2])
    }),
    behaviour('a CustomResourceDefinition shows when it was made', async k => {
      const body = await table(k, '/apis/apiextensions.k8s.io/v1/customresourcedefinitions')
      expect(columns(body).narrow).toEqual(['Name', 'Created At'])
    }),
    behaviour('a kind without columns of its own shows name and creation', async k => {
      const body = await table(k, '/apis/coordination.k8s.io/v1/leases')
      expect(columns(body).narrow).toEqual(['Name', 'Holder', 'Age'])
    }),
    behaviour('an age is told in the largest units', async k => {
      const body = await table(k, '/api/v1/namespaces/default')
      expect(body.rows[0].cells[2]).toMatch(/^\d+(s|m|h|d)(\d+(s|m|h))?$/)
    }),
    behaviour('a watch as Table sends tables, columns only with the first', async k => {
      const group = k.name()
      const watch = await k.admin.watch(k.core('configmaps'), { labelSelector: `group=${group}` }, { accept })
      await k.configMap({ metadata: { labels: { group } } })
      await k.configMap({ metadata: { labels: { group } } })
      const events = await watch.take(2)
      watch.close()
      expect(events.map(({ object }) => object.kind)).toEqual(['Table', 'Table'])
      expect(events[0]?.object.columnDefinitions).toHaveLength(3)
      expect(events[1]?.object.columnDefinitions ?? null).toBeNull()
    }),
    behaviour('a paged Table has a continue token', async k => {
      await k.configMap()
      await k.configMap()
      const body = await table(k, k.core('configmaps'), { limit: 1 })
      expect(body.rows).toHaveLength(1)
      expect(body.metadata.continue).toEqual(expect.any(String))
    }),
  ],
}
