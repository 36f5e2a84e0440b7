import type { IncomingMessage } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { readAll } from './proxy-under-test.js'

/** A request besides its path. */
export interface ExampleRequest {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string | Buffer
}

/** What a body may measure before an API server refuses it. */
export const MOST_BYTES = 3 * 1024 * 1024

const table = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json'
const json = { 'content-type': 'application/json' }
const secret = (bytes: number) =>
  JSON.stringify({ metadata: { name: 'sized' }, data: { filling: 'x'.repeat(bytes & ~3) } })

/**
 * Requests of every form that clients of Kubernetes know, each with what it is called; sent twice they are answered alike.
 * @param secrets path of a namespace's Secrets, of which one is `large-1`
 */
export const exchanges = (secrets: string): readonly (readonly [string, string, ExampleRequest])[] => [
  ['a Table', secrets, { headers: { accept: table } }],
  [
    'metadata alone',
    `${secrets}?limit=3`,
    { headers: { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' } },
  ],
  [
    'protobuf, or else JSON',
    secrets,
    { headers: { accept: 'application/vnd.kubernetes.protobuf,application/json' } },
  ],
  ['protobuf or nothing', secrets, { headers: { accept: 'application/vnd.kubernetes.protobuf' } }],
  ['YAML', `${secrets}?limit=1`, { headers: { accept: 'application/yaml' } }],
  ['nonsense', secrets, { headers: { accept: 'text/nonsense' } }],
  ['a compressed list', secrets, { headers: { 'accept-encoding': 'gzip' } }],
  ['a HEAD', `${secrets}/large-1`, { method: 'HEAD' }],
  ['OPTIONS', secrets, { method: 'OPTIONS' }],
  [
    'a body of almost 1 MiB',
    `${secrets}?dryRun=All`,
    { method: 'POST', headers: json, body: secret(1_000_000) },
  ],
  ['a body beyond 3 MiB', secrets, { method: 'POST', headers: json, body: secret(MOST_BYTES) }],
  [
    'a body that is announced first',
    `${secrets}?dryRun=All`,
    { method: 'POST', headers: { ...json, expect: '100-continue' }, body: secret(10) },
  ],
  ['a body that is no JSON', secrets, { method: 'POST', headers: json, body: '{"kind":' }],
  [
    'a type of body that is not known',
    secrets,
    { method: 'POST', headers: { 'content-type': 'text/x' }, body: 'x' },
  ],
  ['a verb that is not served', `${secrets}/large-1`, { method: 'POST', headers: json, body: '{}' }],
  ['what is not there', '/apis/nowhere/v1/things', {}],
  ['a version long gone', `${secrets}?watch=true&resourceVersion=1`, {}],
  ['a bad selector', `${secrets}?labelSelector=%21%21`, {}],
]

/** What an answer says, less what must differ between two answers to the same: identities, times, and the store's version. */
export async function toldBy(response: IncomingMessage) {
  const { bytes, complete } = await readAll(response)
  const { 'content-type': type, 'content-encoding': encoding, 'content-length': length } = response.headers
  const body = encoding === 'gzip' && bytes.length > 0 ? gunzipSync(bytes) : bytes
  const text = body.toString('latin1')
  const lasting = lastingOf(text)
  const told = type?.startsWith('application/json') ? lasting : lasting.replaceAll(/\d{2,}/g, '#')
  // Digits of what differs count no more than the digits themselves.
  const announced = encoding || length === undefined ? undefined : Number(length) + told.length - text.length
  return { status: response.statusCode, type, encoding, complete, told, announced }
}

const lastingOf = (text: string): string =>
  text
    .replaceAll(/[0-9a-f-]{36}/g, 'UID')
    .replaceAll(/"(creationTimestamp|time)":"[^"]*"/g, '')
    .replaceAll(/"resourceVersion":"\d+"/g, '')
    // The last column of a Table; seconds go by.
    .replaceAll(/"(\d+[dhm])?\d+[dhms]"(?=\])/g, '"AGE"')
    .replaceAll(/too old resource version: 1 \(\d+\)/g, '')
    .replaceAll(/(?<=\bcontinue"?: ?"?)[\w-]{8,}/g, lastingContinue)

/** A continue token names the store's version beside where to go on (apiserver/pkg/storage/continue.go). */
const lastingContinue = (token: string): string =>
  Buffer.from(token, 'base64url')
    .toString()
    .replace(/"rv":\d+/, '')
