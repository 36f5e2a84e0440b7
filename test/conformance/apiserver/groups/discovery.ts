import { expect } from 'vitest'
import { waitFor } from '../../../patience.js'
import { behaviour, type Group, type Json } from '../behaviour.js'

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

/** How clients find out what there is. */
export const discovery: Group = {
  name: 'discovery',
  behaviours: [
    behaviour('/api names the core versions', async k => {
      const { body } = await k.admin.get('/api')
      expect(body).toMatchObject({ kind: 'APIVersions', versions: ['v1'] })
    }),
    behaviour('/apis lists groups with a preferred version', async k => {
      const { body } = await k.admin.get('/apis')
      expect(body).toMatchObject({ kind: 'APIGroupList', apiVersion: 'v1' })
      expect(body.groups.find(({ name }: Json) => name === 'apps')).toEqual({
        name: 'apps',
        versions: [{ groupVersion: 'apps/v1', version: 'v1' }],
        preferredVersion: { groupVersion: 'apps/v1', version: 'v1' },
      })
    }),
    behaviour('/apis/{group} tells one group', async k => {
      const { body } = await k.admin.get('/apis/apps')
      expect(body).toMatchObject({ kind: 'APIGroup', apiVersion: 'v1', name: 'apps' })
    }),
    behaviour('/api/v1 lists resources with verbs, short names and scope', async k => {
      const { body } = await k.admin.get('/api/v1')
      expect(body).toMatchObject({ kind: 'APIResourceList', groupVersion: 'v1' })
      const configMaps = body.resources.find(({ name }: Json) => name === 'configmaps')
      expect(configMaps).toMatchObject({
        singularName: 'configmap',
        namespaced: true,
        kind: 'ConfigMap',
        verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
        shortNames: ['cm'],
      })
      expect(configMaps.storageVersionHash).toEqual(expect.any(String))
    }),
    behaviour('namespaces are not namespaced, and cannot be deleted as a collection', async k => {
      const { body } = await k.admin.get('/api/v1')
      const namespaces = body.resources.find(({ name }: Json) => name === 'namespaces')
      expect(namespaces).toMatchObject({ namespaced: false, shortNames: ['ns'] })
      expect(namespaces.verbs).not.toContain('deletecollection')
    }),
    behaviour('subresources are listed with their own verbs and kind', async k => {
      const { body } = await k.admin.get('/apis/apps/v1')
      const named = (name: string): Json => body.resources.find((resource: Json) => resource.name === name)
      expect(named('deployments/status')).toMatchObject({
        kind: 'Deployment',
        verbs: ['get', 'patch', 'update'],
      })
      expect(named('deployments/scale')).toMatchObject({ group: 'autoscaling', version: 'v1', kind: 'Scale' })
      expect(named('deployments')).toMatchObject({ categories: ['all'], shortNames: ['deploy'] })
    }),
    behaviour('an unknown version of a known group is not found', async k => {
      const { status } = await k.admin.get('/apis/apps/v7')
      expect(status).toBe(404)
    }),
    behaviour('aggregated discovery tells all groups at once', async k => {
      const { headers, body } = await k.admin.get('/apis', {}, { accept: aggregated })
      expect(headers['content-type']).toBe(
        'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
      )
      expect(body).toMatchObject({ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2' })
      const apps = body.items.find(({ metadata }: Json) => metadata.name === 'apps')
      const deployments = apps.versions[0].resources.find(({ resource }: Json) => resource === 'deployments')
      expect(deployments).toMatchObject({
        // An empty group and version mean those it is listed under.
        responseKind: { group: '', version: '', kind: 'Deployment' },
        scope: 'Namespaced',
        singularResource: 'deployment',
        shortNames: ['deploy'],
        categories: ['all'],
      })
      expect(deployments.subresources.map(({ subresource }: Json) => subresource).sort()).toEqual([
        'scale',
        'status',
      ])
      expect(apps.versions[0].freshness).toBe('Current')
    }),
    behaviour('aggregated discovery tells the core group under /api', async k => {
      const { body } = await k.admin.get('/api', {}, { accept: aggregated })
      expect(body.kind).toBe('APIGroupDiscoveryList')
      expect(body.items).toHaveLength(1)
      expect(body.items[0].versions[0].version).toBe('v1')
      expect(body.items[0].metadata.name).toBeUndefined()
    }),
    behaviour('aggregated discovery has an ETag and answers 304 to it', async k => {
      // While a type is on its way in or out, two answers may differ.
      await waitFor(async () => {
        const { headers } = await k.admin.get('/apis', {}, { accept: aggregated })
        expect(headers.etag).toMatch(/^"[0-9A-F]+"$/)
        const ifNoneMatch = { 'if-none-match': String(headers.etag) }
        const again = await k.admin.get('/apis', {}, { accept: aggregated, ...ifNoneMatch })
        expect(again.status).toBe(304)
      })
    }),
    behaviour('who accepts aggregated and plain discovery gets the aggregated one', async k => {
      const { body } = await k.admin.get('/apis', {}, { accept: `${aggregated},application/json` })
      expect(body.kind).toBe('APIGroupDiscoveryList')
    }),
    behaviour('/openapi/v3 lists a document per group and version', async k => {
      const answer = await k.admin.get('/openapi/v3')
      // The real server calls this document text/plain.
      const body = typeof answer.body === 'string' ? JSON.parse(answer.body) : answer.body
      expect(body.paths['apis/apps/v1'].serverRelativeURL).toMatch(
        /^\/openapi\/v3\/apis\/apps\/v1\?hash=[0-9A-F]+$/,
      )
      expect(body.paths['api/v1']).toBeDefined()
    }),
    behaviour('an OpenAPI document names the kind of each schema', async k => {
      const { body } = await k.admin.get('/openapi/v3/apis/apps/v1')
      expect(body.openapi).toMatch(/^3\.0/)
      const schema = body.components.schemas['io.k8s.api.apps.v1.Deployment']
      expect(schema['x-kubernetes-group-version-kind']).toEqual([
        { group: 'apps', version: 'v1', kind: 'Deployment' },
      ])
      expect(schema.properties.spec).toBeDefined()
      expect(schema.description).toEqual(expect.any(String))
    }),
    behaviour('an OpenAPI document tells the paths that kubectl asks for', async k => {
      const { body } = await k.admin.get('/openapi/v3/apis/apps/v1')
      const path = body.paths['/apis/apps/v1/namespaces/{namespace}/deployments/{name}']
      expect(path.patch['x-kubernetes-group-version-kind']).toEqual({
        group: 'apps',
        version: 'v1',
        kind: 'Deployment',
      })
      const parameters = [...(path.parameters ?? []), ...(path.patch.parameters ?? [])].map(
        ({ name }: Json) => name,
      )
      expect(parameters).toEqual(
        expect.arrayContaining(['dryRun', 'fieldManager', 'fieldValidation', 'force']),
      )
    }),
    behaviour('OpenAPI tells by which key lists are merged', async k => {
      const { body } = await k.admin.get('/openapi/v3/apis/apps/v1')
      const containers = body.components.schemas['io.k8s.api.core.v1.PodSpec'].properties.containers
      expect(containers).toMatchObject({
        'x-kubernetes-patch-merge-key': 'name',
        'x-kubernetes-patch-strategy': 'merge',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
      })
    }),
    behaviour('/version tells major, minor and gitVersion', async k => {
      const { body } = await k.admin.get('/version')
      expect(body.gitVersion).toMatch(/^v1\.\d+\.\d+/)
      expect(body.major).toBe('1')
      expect(body.minor).toMatch(/^\d+$/)
    }),
    behaviour('/readyz says ok', async k => {
      const { status, headers, body } = await k.admin.get('/readyz')
      expect(status).toBe(200)
      expect(body).toBe('ok')
      expect(headers['content-type']).toContain('text/plain')
    }),
    behaviour('/readyz?verbose names its checks', async k => {
      const { body } = await k.admin.get('/readyz', { verbose: true })
      expect(body).toMatch(/^\[\+\]ping ok\n/)
      expect(body.trimEnd()).toMatch(/readyz check passed$/)
    }),
  ],
}
