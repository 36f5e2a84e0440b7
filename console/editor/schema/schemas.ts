import type { KubeApi } from '../../kube/kube-api.js'
import { groupVersionOf } from '../../kube/object.js'
import { OpenApi, type Schema } from './open-api.js'

/** Documents that are kept parsed: one of the core group is some 10 MB of objects. */
const MOST_DOCUMENTS = 12

/** A kind's schema, and the document that it is in. */
export interface KindSchema {
  readonly document: OpenApi
  readonly schema: Schema
}

const documents = new Map<string, Promise<OpenApi>>()

/** The schema that an instance's own server publishes for a kind; undefined where it has none, or has not answered. */
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
    // Help while one writes is left out, and asked for again at the next letter; what is written is judged by the server when it is checked.
    documents.delete(key)
    return undefined
  }
}

async function read(api: KubeApi, group: string, version: string): Promise<OpenApi> {
  const path = group === '' ? `api/${version}` : `apis/${group}/${version}`
  const { text } = await api.request('GET', `/openapi/v3/${path}`)
  return new OpenApi(text)
}
