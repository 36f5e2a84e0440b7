import { expect, it } from 'vitest'
import { StatusError } from '../../../manifests/status-error.js'
import type { JsonObject } from '../../../playground/apimachinery/json.js'
import { validateObject } from '../../../playground/apiserver/operations/object-rules.js'
import { clusterDefinition } from '../../../playground/karmada/cluster-definition.js'

const cluster = (spec: object): JsonObject =>
  ({ metadata: { name: 'm1' }, spec: { syncMode: 'Push', ...spec } }) as unknown as JsonObject
const prepared = (object: JsonObject): JsonObject =>
  clusterDefinition.strategy?.prepareForCreate?.(object) ?? object

function refusal(object: JsonObject, old?: JsonObject): string | undefined {
  try {
    validateObject(clusterDefinition, object, old)
    return undefined
  } catch (error) {
    if (error instanceof StatusError) return error.message
    throw error
  }
}

/** Answers of Karmada 1.18's own validation (`test/real/decisions/clusters.test.ts` asks for thousands). */
it.each<[spec: object, complaint: string]>([
  [
    { taints: [{ key: 'a b', effect: 'NoSchedule' }] },
    "spec.taints[0].key: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
  ],
  [
    { taints: [{ key: 'down', value: 'a b', effect: 'NoExecute', timeAdded: '2026-01-01T00:00:00Z' }] },
    "spec.taints[0].value: Invalid value: \"a b\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
  ],
  [
    { taints: [{ key: 'down', effect: 'PreferNoSchedule' }] },
    'spec.taints[0].effect: Unsupported value: "PreferNoSchedule": supported values: "NoSchedule", "NoExecute"',
  ],
  [{ taints: [{ key: 'down' }] }, 'spec.taints[0].effect: Required value'],
  [
    {
      taints: [
        { key: 'down', effect: 'NoSchedule' },
        { key: 'down', value: 'x', effect: 'NoSchedule' },
      ],
    },
    'spec.taints[1]: Duplicate value: {"key":"down","value":"x","effect":"NoSchedule"}: taints must be unique by key and effect pair',
  ],
  [
    { apiEndpoint: '10.0.0.1:6443' },
    'spec.apiEndpoint: Invalid value: "10.0.0.1:6443": apiEndpoint must be a valid URL: parse "10.0.0.1:6443": first path segment in URL cannot contain colon; desired format: hostname, hostname:port, IP or IP:port',
  ],
  [
    { apiEndpoint: 'localhost:6443' },
    'spec.apiEndpoint: Invalid value: "": host must be provided; desired format: hostname, hostname:port, IP or IP:port',
  ],
  [
    { apiEndpoint: 'https://me:secret@m1?a=b#c%20d' },
    '[spec.apiEndpoint: Invalid value: "me:secret": user information is not permitted in the URL, spec.apiEndpoint: Invalid value: "c d": fragments are not permitted in the URL, spec.apiEndpoint: Invalid value: "a=b": query parameters are not permitted in the URL]',
  ],
  [
    { apiEndpoint: 'https://m 1' },
    'spec.apiEndpoint: Invalid value: "https://m 1": apiEndpoint must be a valid URL: parse "https://m 1": invalid character " " in host name; desired format: hostname, hostname:port, IP or IP:port',
  ],
  [
    { apiEndpoint: 'https://m1:x' },
    'spec.apiEndpoint: Invalid value: "https://m1:x": apiEndpoint must be a valid URL: parse "https://m1:x": invalid port ":x" after host; desired format: hostname, hostname:port, IP or IP:port',
  ],
  [
    { apiEndpoint: 'https://m1/%zz' },
    'spec.apiEndpoint: Invalid value: "https://m1/%zz": apiEndpoint must be a valid URL: parse "https://m1/%zz": invalid URL escape "%zz"; desired format: hostname, hostname:port, IP or IP:port',
  ],
  [
    { apiEndpoint: 'https://[::1' },
    'spec.apiEndpoint: Invalid value: "https://[::1": apiEndpoint must be a valid URL: parse "https://[::1": missing \']\' in host; desired format: hostname, hostname:port, IP or IP:port',
  ],
  [
    { apiEndpoint: 'https://[m1]' },
    'spec.apiEndpoint: Invalid value: "https://[m1]": apiEndpoint must be a valid URL: parse "https://[m1]": invalid host: ParseAddr("m1"): unable to parse IP; desired format: hostname, hostname:port, IP or IP:port',
  ],
  [
    { apiEndpoint: ':6443' },
    'spec.apiEndpoint: Invalid value: ":6443": apiEndpoint must be a valid URL: parse ":6443": missing protocol scheme; desired format: hostname, hostname:port, IP or IP:port',
  ],
  [
    { proxyURL: 'proxy.example.com:3128' },
    'spec.proxyURL: Invalid value: "proxy.example.com:3128": unsupported scheme "proxy.example.com", must be http, https, or socks5',
  ],
  [
    { proxyURL: '10.0.0.1:3128' },
    'spec.proxyURL: Invalid value: "10.0.0.1:3128": apiEndpoint must be a valid URL: parse "10.0.0.1:3128": first path segment in URL cannot contain colon',
  ],
  [
    { proxyURL: 'FTP://x' },
    'spec.proxyURL: Invalid value: "FTP://x": unsupported scheme "ftp", must be http, https, or socks5',
  ],
  [{ secretRef: { name: 'm1' } }, 'spec.secretRef.namespace: Required value'],
  [
    { impersonatorSecretRef: { namespace: 'karmada-cluster' } },
    'spec.impersonatorSecretRef.name: Required value',
  ],
  [
    { zone: 'a b' },
    "spec.Zone: Invalid value: \"a b\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
  ],
  [
    { zones: ['a', '-b'] },
    "spec.Zones: Invalid value: \"-b\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
  ],
  [
    { region: 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' },
    'spec.region: Invalid value: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx": must be no more than 63 bytes',
  ],
  [
    { zone: 'a', zones: ['b'], resourceModels: [{ grade: 0, ranges: [] }] },
    'spec.spec: Invalid value: {"SyncMode":"Push","APIEndpoint":"","SecretRef":null,"ImpersonatorSecretRef":null,"InsecureSkipTLSVerification":false,"ProxyURL":"","ProxyHeader":null,"Provider":"","Region":"","Zone":"a","zones":["b"],"Taints":null,"ResourceModels":[{"Grade":0,"Ranges":[]}]}: Zone and Zones cannot co-exist',
  ],
  [
    {
      resourceModels: [
        { grade: 0, ranges: [{ name: 'cpu', min: '0', max: '1' }] },
        { grade: 1, ranges: [{ name: 'cpu', min: '2', max: '4' }] },
      ],
    },
    'spec.resourceModels: Invalid value: [{"Grade":0,"Ranges":[{"Name":"cpu","Min":"0","Max":"1"}]},{"Grade":1,"Ranges":[{"Name":"cpu","Min":"2","Max":"9223372036854775807"}]}]: Model intervals for resources must be contiguous and non-overlapping',
  ],
  [
    { provider: '-' },
    "spec.provider: Invalid value: \"-\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
  ],
  [
    { syncMode: '' },
    '[spec.syncMode: Required value, spec.syncMode: Unsupported value: "": supported values: "Pull", "Push"]',
  ],
  [{ syncMode: 'Shove' }, 'spec.syncMode: Unsupported value: "Shove": supported values: "Pull", "Push"'],
  [
    { resourceModels: [{ grade: 2 }, {}, { grade: 2 }] },
    'spec.resourceModels: Invalid value: [{"Grade":0,"Ranges":null},{"Grade":2,"Ranges":null},{"Grade":2,"Ranges":null}]: The grade of each models should not be the same',
  ],
  [
    {
      resourceModels: [
        { ranges: [{ name: 'cpu', min: null, max: '1' }] },
        { grade: 1, ranges: [{ name: 'cpu', max: '1' }] },
      ],
    },
    'spec.resourceModels: Invalid value: [{"Grade":0,"Ranges":[{"Name":"cpu","Min":"0","Max":"1"}]},{"Grade":1,"Ranges":[{"Name":"cpu","Min":"0","Max":"9223372036854775807"}]}]: Model intervals for resources must be contiguous and non-overlapping',
  ],
])('a Cluster with %j is refused in Karmada’s words', (spec, complaint) => {
  expect(refusal(prepared(cluster(spec)))).toBe(`Cluster.cluster.karmada.io "m1" is invalid: ${complaint}`)
})

it.each([
  { apiEndpoint: 'https://[fe80::1%25en0]:6443/path' },
  { apiEndpoint: 'https://10.0.0.1:6443?' },
  { proxyURL: 'socks5://me:secret@m1:1080' },
  { zones: ['a', 'b'], provider: 'aws', region: '' },
  {
    taints: [
      { key: 'example.com/down', effect: 'NoSchedule' },
      { key: 'example.com/down', effect: 'NoExecute' },
    ],
  },
])('a Cluster with %j is accepted', spec => {
  expect(refusal(prepared(cluster(spec)))).toBeUndefined()
})

it('models of a Cluster that are not written out are empty, as Karmada stores them', () => {
  const stored = (resourceModels: object) => prepared(cluster({ resourceModels })).spec
  expect(stored([{ grade: 0 }, null, { grade: 1, ranges: null }])).toMatchObject({
    resourceModels: [
      { grade: 0, ranges: null },
      { grade: 0, ranges: null },
      { grade: 1, ranges: null },
    ],
  })
  expect(stored([{ grade: 0, ranges: [null] }])).toMatchObject({
    resourceModels: [{ grade: 0, ranges: [{ name: '', min: '0', max: '9223372036854775807' }] }],
  })
})

it('models of a Cluster that are no quantities are refused', () => {
  const ranges = [{ name: 'cpu', min: '0', max: 'much' }]
  const models = [{ grade: 0, ranges }]
  expect(refusal(prepared(cluster({ resourceModels: models })))).toContain(
    'The range of each resource must be Kubernetes quantities',
  )
})

it.each([
  ['x'.repeat(48), undefined],
  [
    'x'.repeat(49),
    'metadata.name: Invalid value: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx": must be no more than 48 characters',
  ],
])('a Cluster may have 48 characters in its name (%s)', (name, complaint) => {
  const refused = refusal(prepared({ ...cluster({}), metadata: { name } }))
  expect(refused).toBe(complaint && `Cluster.cluster.karmada.io "${name}" is invalid: ${complaint}`)
})

it('the old zone of a Cluster becomes its only one', () => {
  expect(prepared(cluster({ zone: 'a' })).spec).toMatchObject({ zones: ['a'] })
  expect(prepared(cluster({ zone: 'a' })).spec).not.toHaveProperty('zone')
})

it('a Cluster that was stored with what is refused today is refused again when its spec changes, and not before', () => {
  const stored = cluster({ taints: [{ key: 'down', effect: 'PreferNoSchedule' }] })
  const metadata = { ...(stored.metadata as object), resourceVersion: '1' }
  const old = { ...stored, metadata } as JsonObject
  expect(refusal({ ...old, status: { conditions: [] } } as unknown as JsonObject, old)).toBeUndefined()
  const changed = { ...old, spec: { ...(old.spec as object), region: 'eu' } } as JsonObject
  expect(refusal(changed, old)).toContain('spec.taints[0].effect: Unsupported value: "PreferNoSchedule"')
})
