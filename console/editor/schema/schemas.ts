import type { KubeApi } from '../../kube/kube-api.js'
import { groupVersionOf } from '../../kube/object.js'
import { OpenApi, type Schema } from './open-api.js'

/** Parsed documents that are kept. The one of the core group takes some 10 MB. */
const MOST_DOCUMENTS = 12

/** The schema of a kind, and its document. */
export interface KindSchema {
  readonly document: OpenApi
  readonly schema: Schema
}

const documents = new Map<string, Promise<OpenApi>>()

/** Reads the schema that an instance's server publishes for a kind; undefined where there is none or the request failed. */
export async function schemaOf(
  api: KubeApi,
  apiVersion: string,
  kind: string,
): Promise<KindSchema | undefined> {
  const { group, version } = groupVersionOf(apiVersion)
  const key = `${api.instance} ${apiVersion}`
  const reading = documents.get(key) ?? read(api, group, version)
  documents.delete(key)
  documents.set(key, reading)
  const [oldest] = documents.keys()
  if (documents.size > MOST_DOCUMENTS && oldest !== undefined) documents.delete(oldest)
  try {
    const document = await reading
    const schema = document.kind(group, version, kind)
    return schema && { document, schema }
  } catch {
    // Without a schema there is no help while typing. The next key reads it again, and the dry run checks the text in any case.
    documents.delete(key)
    return undefined
  }
}

async function read(api: KubeApi, group: string, version: string): Promise<OpenApi> {
  const path = group === '' ? `api/${version}` : `apis/${group}/${version}`
  const { text } = await api.request('GET', `/openapi/v3/${path}`)
  return new OpenApi(text)
}
