import type { DescMessage } from '@bufbuild/protobuf'
import type { Schema } from '../../../playground/apimachinery/schema/schema.js'
import { karmadaCustomResourceDefinitions } from '../../../playground/karmada/crds/index.js'

/**
 * The fields of a type of Karmada, as its CRD has them, that a message lacks: `spec.metrics[].resource.name`. Types whose
 * content the message takes whole, such as metadata, are not looked into.
 * @param crd the CRD's name, `propagationpolicies.policy.karmada.io`
 * @param whole messages by their full names that take any JSON
 */
export function missingFields(crd: string, message: DescMessage, whole: readonly string[] = []): string[] {
  const definition = karmadaCustomResourceDefinitions.find(({ metadata }) => metadata.name === crd)
  const [version] = definition?.spec.versions ?? []
  const schema = (version?.schema as { openAPIV3Schema?: Schema } | undefined)?.openAPIV3Schema
  if (!schema?.properties) throw new Error(`there is no CRD ${crd}`)
  const { spec = {}, status } = schema.properties
  return missing({ type: 'object', properties: { spec, ...(status && { status }) } }, message, whole, '')
}

function missing(
  { properties = {} }: Schema,
  message: DescMessage,
  whole: readonly string[],
  path: string,
): string[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const at = path ? `${path}.${name}` : name
    const field = message.fields.find(({ jsonName }) => jsonName === name)
    if (!field) return [at]
    const inner = schema.items ?? schema
    if (!inner.properties || (field.message && whole.includes(field.message.typeName))) return []
    return field.message ? missing(inner, field.message, whole, schema.items ? `${at}[]` : at) : [at]
  })
}
