import { expect } from 'vitest'
import { behaviour, configMap, failure, type Group } from '../behaviour.js'

/** Creating objects: what the server adds, and what it refuses with which words. */
export const create: Group = {
  name: 'create',
  behaviours: [
    behaviour(
      'a created object gets uid, resourceVersion, creationTimestamp and the namespace of the path',
      async k => {
        const { status, body } = await k.admin.post(k.core('configmaps'), configMap('made'))
        expect(status).toBe(201)
        expect(body).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', data: { a: '1' } })
        expect(body.metadata).toMatchObject({ name: 'made', namespace: k.namespace })
        expect(body.metadata.uid).toMatch(
          /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
        )
        expect(body.metadata.resourceVersion).toMatch(/^[1-9][0-9]*$/)
        expect(body.metadata.creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
      },
    ),
    behaviour('server-set metadata sent by the client is replaced', async k => {
      const name = k.name()
      const body = await k.made(
        k.core('configmaps'),
        configMap(name, {
          metadata: {
            uid: 'mine',
            creationTimestamp: '2001-01-01T00:00:00Z',
            generation: 7,
            selfLink: '/mine',
          },
        }),
      )
      expect(body.metadata.uid).not.toBe('mine')
      expect(body.metadata.creationTimestamp).not.toContain('2001')
      expect(body.metadata.selfLink).toBeUndefined()
    }),
    behaviour('a sent deletionTimestamp is dropped', async k => {
      const body = await k.made(
        k.core('configmaps'),
        configMap(k.name(), {
          metadata: { deletionTimestamp: '2001-01-01T00:00:00Z', deletionGracePeriodSeconds: 0 },
        }),
      )
      expect(body.metadata.deletionTimestamp).toBeUndefined()
    }),
    behaviour('an object with a generation starts at 1', async k => {
      const body = await k.made(k.apps('deployments'), {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: k.name(), generation: 5 },
        spec: {
          selector: { matchLabels: { a: 'b' } },
          template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
        },
      })
      expect(body.metadata.generation).toBe(1)
    }),
    behaviour('a name that is taken is refused as AlreadyExists', async k => {
      const { metadata } = await k.configMap()
      const { status, body } = await k.admin.post(k.core('configmaps'), configMap(metadata.name))
      expect(status).toBe(409)
      expect(body).toEqual(
        failure(409, 'AlreadyExists', `configmaps "${metadata.name}" already exists`, {
          name: metadata.name,
          kind: 'configmaps',
        }),
      )
    }),
    behaviour('a taken name of a named group is told with its group', async k => {
      const name = k.name()
      const role = {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: { name },
        rules: [],
      }
      const path = '/apis/rbac.authorization.k8s.io/v1/clusterroles'
      await k.made(path, role)
      const { body } = await k.admin.post(path, role)
      await k.admin.delete(`${path}/${name}`)
      expect(body).toEqual(
        failure(409, 'AlreadyExists', `clusterroles.rbac.authorization.k8s.io "${name}" already exists`, {
          name,
          group: 'rbac.authorization.k8s.io',
          kind: 'clusterroles',
        }),
      )
    }),
    behaviour('a namespace other than the path’s is a bad request', async k => {
      const { status, body } = await k.admin.post(
        k.core('configmaps'),
        configMap(k.name(), { metadata: { namespace: 'other' } }),
      )
      expect(status).toBe(400)
      expect(body).toEqual(
        failure(
          400,
          'BadRequest',
          'the namespace of the provided object does not match the namespace sent on the request',
        ),
      )
    }),
    behaviour('a resourceVersion must not be sent', async k => {
      const { status, body } = await k.admin.post(
        k.core('configmaps'),
        configMap(k.name(), { metadata: { resourceVersion: '1' } }),
      )
      expect(status).toBe(500)
      expect(body).toMatchObject({ message: 'resourceVersion should not be set on objects to be created' })
    }),
    behaviour('neither name nor generateName is Invalid', async k => {
      const { status, body } = await k.admin.post(k.core('configmaps'), {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: {},
      })
      expect(status).toBe(422)
      expect(body).toEqual(
        failure(
          422,
          'Invalid',
          'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
          {
            kind: 'ConfigMap',
            causes: [
              {
                reason: 'FieldValueRequired',
                message: 'Required value: name or generateName is required',
                field: 'metadata.name',
              },
            ],
          },
        ),
      )
    }),
    behaviour('a malformed name is Invalid and the rule is told', async k => {
      const { status, body } = await k.admin.post(k.core('configmaps'), configMap('Not_A_Name'))
      const rule =
        'a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, ' +
        "'-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for " +
        "validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
      expect(status).toBe(422)
      expect(body).toEqual(
        failure(
          422,
          'Invalid',
          `ConfigMap "Not_A_Name" is invalid: metadata.name: Invalid value: "Not_A_Name": ${rule}`,
          {
            name: 'Not_A_Name',
            kind: 'ConfigMap',
            causes: [
              {
                reason: 'FieldValueInvalid',
                message: `Invalid value: "Not_A_Name": ${rule}`,
                field: 'metadata.name',
              },
            ],
          },
        ),
      )
    }),
    behaviour('a malformed label value is Invalid with the label’s field', async k => {
      const { status, body } = await k.admin.post(
        k.core('configmaps'),
        configMap(k.name(), { metadata: { labels: { a: 'no spaces' } } }),
      )
      expect(status).toBe(422)
      expect(body.details.causes).toEqual([
        {
          reason: 'FieldValueInvalid',
          message: expect.stringContaining(
            'Invalid value: "no spaces": a valid label must be an empty string or',
          ),
          field: 'metadata.labels',
        },
      ])
    }),
    behaviour('a namespace that does not exist is NotFound', async k => {
      const { status, body } = await k.admin.post(
        '/api/v1/namespaces/nowhere-at-all/configmaps',
        configMap(k.name()),
      )
      expect(status).toBe(404)
      expect(body).toEqual(
        failure(404, 'NotFound', 'namespaces "nowhere-at-all" not found', {
          name: 'nowhere-at-all',
          kind: 'namespaces',
        }),
      )
    }),
    behaviour('a body that is not JSON is a bad request', async k => {
      const { status, body } = await k.admin.post(k.core('configmaps'), '{"kind": nonsense')
      expect(status).toBe(400)
      expect(body).toMatchObject({ kind: 'Status', reason: 'BadRequest', code: 400 })
    }),
    behaviour('an empty body is a bad request', async k => {
      const { status, body } = await k.admin.post(k.core('configmaps'), '')
      expect(status).toBe(400)
      expect(body).toMatchObject({ kind: 'Status', reason: 'BadRequest' })
    }),
    behaviour('another kind than the path’s is a bad request naming both', async k => {
      const { status, body } = await k.admin.post(k.core('configmaps'), {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'x' },
      })
      expect(status).toBe(400)
      expect(body).toEqual(
        failure(
          400,
          'BadRequest',
          'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
        ),
      )
    }),
    behaviour('a kind the server does not know is a bad request', async k => {
      const { status, body } = await k.admin.post(k.core('configmaps'), {
        apiVersion: 'v1',
        kind: 'Nonsense',
        metadata: { name: 'x' },
      })
      expect(status).toBe(400)
      expect(body.message).toContain('no kind "Nonsense" is registered for version "v1"')
    }),
    behaviour('an unsupported media type is refused', async k => {
      const { status, body } = await k.admin.send('POST', k.core('configmaps'), {
        body: 'a: 1',
        type: 'text/plain',
      })
      expect(status).toBe(415)
      expect(body).toMatchObject({ reason: 'UnsupportedMediaType', code: 415 })
    }),
    behaviour('YAML is accepted', async k => {
      const name = k.name()
      const { status, body } = await k.admin.send('POST', k.core('configmaps'), {
        body: `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  a: "1"\n`,
        type: 'application/yaml',
      })
      expect(status).toBe(201)
      expect(body.data).toEqual({ a: '1' })
    }),
    behaviour('apiVersion and kind may be left out', async k => {
      const { status, body } = await k.admin.post(k.core('configmaps'), { metadata: { name: k.name() } })
      expect(status).toBe(201)
      expect(body.kind).toBe('ConfigMap')
    }),
    behaviour('generateName appends five characters', async k => {
      const body = await k.made(
        k.core('configmaps'),
        configMap('', { metadata: { name: '', generateName: 'gen-' } }),
      )
      expect(body.metadata.name).toMatch(/^gen-[bcdfghjklmnpqrstvwxz2456789]{5}$/)
      expect(body.metadata.generateName).toBe('gen-')
    }),
    behaviour('a long generateName is cut to 58 characters before the suffix', async k => {
      const body = await k.made(k.core('configmaps'), {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { generateName: 'g'.repeat(100) },
      })
      expect(body.metadata.name).toMatch(/^g{58}[a-z0-9]{5}$/)
    }),
    behaviour('a name wins over generateName', async k => {
      const name = k.name()
      const body = await k.made(k.core('configmaps'), configMap(name, { metadata: { generateName: 'gen-' } }))
      expect(body.metadata.name).toBe(name)
    }),
    behaviour('an unknown field is dropped with a warning by default', async k => {
      const { status, headers, body } = await k.admin.post(
        k.core('configmaps'),
        configMap(k.name(), { nonsense: 1 }),
      )
      expect(status).toBe(201)
      expect(body.nonsense).toBeUndefined()
      expect(headers.warning).toBe('299 - "unknown field \\"nonsense\\""')
    }),
    behaviour('an unknown field is refused under fieldValidation=Strict', async k => {
      const { status, body } = await k.admin.post(
        k.core('configmaps'),
        configMap(k.name(), { nonsense: 1 }),
        {
          fieldValidation: 'Strict',
        },
      )
      expect(status).toBe(400)
      expect(body.message).toMatch(/strict decoding error: unknown field "nonsense"$/)
    }),
    behaviour('a field that is stated twice is refused under fieldValidation=Strict', async k => {
      const text = JSON.stringify(configMap(k.name(), { data: { a: '1', b: '2' } })).replace('"b":', '"a":')
      const strict = await k.admin.post(k.core('configmaps'), text, { fieldValidation: 'Strict' })
      expect(strict.status).toBe(400)
      expect(strict.body.message).toMatch(/strict decoding error: duplicate field "data.a"$/)
      const warned = await k.admin.post(k.core('configmaps'), text)
      expect(warned.headers.warning).toBe('299 - "duplicate field \\"data.a\\""')
      expect(warned.body.data).toEqual({ a: '2' })
    }),
    behaviour('an unknown field is dropped silently under fieldValidation=Ignore', async k => {
      const { status, headers } = await k.admin.post(
        k.core('configmaps'),
        configMap(k.name(), { nonsense: 1 }),
        {
          fieldValidation: 'Ignore',
        },
      )
      expect(status).toBe(201)
      expect(headers.warning).toBeUndefined()
    }),
    behaviour('an unknown value of fieldValidation is refused', async k => {
      const { status, body } = await k.admin.post(k.core('configmaps'), configMap(k.name()), {
        fieldValidation: 'Sometimes',
      })
      expect(status).toBe(422)
      expect(body.message).toBe(
        'CreateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "Sometimes": supported values: "", "Ignore", "Strict", "Warn"',
      )
    }),
    behaviour('a Secret’s stringData is stored as base64 data', async k => {
      const body = await k.made(k.core('secrets'), {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: k.name() },
        stringData: { word: 'hello' },
      })
      expect(body).toMatchObject({ data: { word: 'aGVsbG8=' }, type: 'Opaque' })
      expect(body.stringData).toBeUndefined()
    }),
    behaviour('a namespace is Active, finalized by kubernetes and labelled with its name', async k => {
      const { body } = await k.admin.get(`/api/v1/namespaces/${k.namespace}`)
      expect(body).toMatchObject({
        metadata: { labels: { 'kubernetes.io/metadata.name': k.namespace } },
        spec: { finalizers: ['kubernetes'] },
        status: { phase: 'Active' },
      })
    }),
    behaviour('every namespace gets a ServiceAccount called default', async k => {
      const body = await k.until(k.core('serviceaccounts', 'default'), 200)
      expect(body.kind).toBe('ServiceAccount')
    }),
    behaviour('a Deployment gets the defaults of its type', async k => {
      const name = k.name()
      const body = await k.made(k.apps('deployments'), {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name },
        spec: {
          selector: { matchLabels: { a: 'b' } },
          template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
        },
      })
      expect(body.spec).toMatchObject({
        replicas: 1,
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 600,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
        template: {
          spec: { restartPolicy: 'Always', dnsPolicy: 'ClusterFirst', schedulerName: 'default-scheduler' },
        },
      })
    }),
    behaviour('a Deployment whose template does not match its selector is Invalid', async k => {
      const name = k.name()
      const { status, body } = await k.admin.post(k.apps('deployments'), {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name },
        spec: {
          selector: { matchLabels: { a: 'b' } },
          template: { metadata: { labels: { a: 'c' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
        },
      })
      expect(status).toBe(422)
      expect(body.message).toBe(
        `Deployment.apps "${name}" is invalid: spec.template.metadata.labels: Invalid value: {"a":"c"}: \`selector\` does not match template \`labels\``,
      )
    }),
    behaviour('a container that is null or has no name is Invalid', async k => {
      for (const container of [null, {}]) {
        const { status, body } = await k.admin.post(k.apps('deployments'), {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata: { name: k.name() },
          spec: {
            selector: { matchLabels: { a: 'b' } },
            template: { metadata: { labels: { a: 'b' } }, spec: { containers: [container] } },
          },
        })
        expect(status).toBe(422)
        expect(body.message).toContain('spec.template.spec.containers[0].name: Required value')
        expect(body.message).toContain('spec.template.spec.containers[0].image: Required value')
      }
    }),
  ],
}
