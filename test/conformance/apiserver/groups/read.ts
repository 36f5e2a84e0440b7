import { expect } from 'vitest'
import { behaviour, failure, type Group } from '../behaviour.js'

/** Getting single objects, and how a server says that there is nothing. */
export const read: Group = {
  name: 'read',
  behaviours: [
    behaviour('get returns the object as created', async k => {
      const made = await k.configMap()
      const { status, body } = await k.admin.get(k.core('configmaps', made.metadata.name))
      expect(status).toBe(200)
      expect(body).toEqual(made)
    }),
    behaviour('an absent object is NotFound by name and kind', async k => {
      const { status, body } = await k.admin.get(k.core('configmaps', 'absent'))
      expect(status).toBe(404)
      expect(body).toEqual(
        failure(404, 'NotFound', 'configmaps "absent" not found', { name: 'absent', kind: 'configmaps' }),
      )
    }),
    behaviour('an absent object of a named group is told with its group', async k => {
      const { body } = await k.admin.get(k.apps('deployments', 'absent'))
      expect(body).toEqual(
        failure(404, 'NotFound', 'deployments.apps "absent" not found', {
          name: 'absent',
          group: 'apps',
          kind: 'deployments',
        }),
      )
    }),
    behaviour('an unknown resource of a known version is NotFound in general words', async k => {
      const { status, body } = await k.admin.get('/api/v1/nonsenses')
      expect(status).toBe(404)
      expect(body).toEqual(failure(404, 'NotFound', 'the server could not find the requested resource', {}))
    }),
    behaviour('an unknown group is a plain 404', async k => {
      const { status, headers, body } = await k.admin.get('/apis/nonsense.example.test/v1/things')
      expect(status).toBe(404)
      expect(headers['content-type']).toContain('text/plain')
      expect(body).toBe('404 page not found\n')
    }),
    behaviour('an unknown path is a 404 for a user with the right to it', async k => {
      const { status } = await k.admin.get('/nonsense')
      expect(status).toBe(404)
    }),
    behaviour('a method a collection does not have is not allowed', async k => {
      const { status, body } = await k.admin.put(k.core('configmaps'), {})
      expect(status).toBe(405)
      expect(body).toEqual(
        failure(
          405,
          'MethodNotAllowed',
          'the server does not allow this method on the requested resource',
          {},
        ),
      )
    }),
    behaviour('an Accept the server cannot meet is refused', async k => {
      const { status, body } = await k.admin.get(k.core('configmaps'), {}, { accept: 'text/html' })
      expect(status).toBe(406)
      expect(body).toMatchObject({ reason: 'NotAcceptable', code: 406 })
    }),
    behaviour('*/* is answered as JSON', async k => {
      const { status, headers } = await k.admin.get(k.core('configmaps'), {}, { accept: '*/*' })
      expect(status).toBe(200)
      expect(headers['content-type']).toBe('application/json')
    }),
    behaviour('PartialObjectMetadata carries the metadata only', async k => {
      const { metadata } = await k.configMap({ metadata: { labels: { a: 'b' } } })
      const { body } = await k.admin.get(
        k.core('configmaps', metadata.name),
        {},
        {
          accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
        },
      )
      expect(body).toMatchObject({ apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata })
      expect(body.data).toBeUndefined()
    }),
    behaviour('PartialObjectMetadataList lists metadata only', async k => {
      await k.configMap()
      const { body } = await k.admin.get(
        k.core('configmaps'),
        {},
        {
          accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
        },
      )
      expect(body).toMatchObject({ apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadataList' })
      expect(body.items[0].data).toBeUndefined()
      expect(body.items[0].metadata.name).toBeDefined()
    }),
    behaviour('pretty=true indents', async k => {
      const { metadata } = await k.configMap()
      const { body } = await k.admin.get(
        k.core('configmaps', metadata.name),
        { pretty: true },
        { accept: 'application/yaml' },
      )
      expect(body).toContain('kind: ConfigMap')
    }),
    behaviour('every answer carries an audit id and the priority level that served it', async k => {
      const { headers } = await k.admin.get(k.core('configmaps'))
      expect(headers['audit-id']).toMatch(/^[0-9a-f-]{36}$/)
    }),
    behaviour('the audit id that a request brings is that of its answer', async k => {
      const { headers } = await k.admin.get(k.core('configmaps'), {}, { 'audit-id': 'r-7' })
      expect(headers['audit-id']).toBe('r-7')
    }),
    behaviour('responses must not be cached', async k => {
      const { headers } = await k.admin.get(k.core('configmaps'))
      expect(headers['cache-control']).toBe('no-cache, private')
    }),
  ],
}
