import type { DescMessage } from '@bufbuild/protobuf'
import { readPolicy } from '../../../karmada/objects/policy-shape.js'
import type { KubeObject } from '../../../manifests/kube.js'
import {
  OverridePolicySpecSchema,
  PropagationPolicySpecSchema,
  RawJSONSchema,
} from '../../../proto/gen/kairship/policy_spec_pb.js'
import { type FieldViolation, invalidFields } from '../../errors/failure.js'

/**
 * The policy that a manifest describes, ready for decisions.
 * @throws Failure INVALID_ARGUMENT that names the fields which Karmada would not store: of a type that they do not have, unknown,
 * or missing
 */
export function policyOf<T extends KubeObject>(manifest: KubeObject): T {
  const { policy, wrong } = readPolicy<T>(manifest)
  const violations = [
    ...(manifest.kind.startsWith('Cluster') || manifest.metadata.namespace
      ? []
      : [{ field: 'data.metadata.namespace', description: 'is required' }]),
    ...wrong.map(({ path, message, isMissing }) => ({
      field: `data.${path}`,
      description: isMissing ? 'is required' : message,
    })),
    ...unknownFields(SPECS[manifest.kind], (policy as { readonly spec?: unknown }).spec, 'data.spec'),
  ]
  if (violations.length > 0) throw invalidFields(violations)
  return policy
}

/** The messages of the specs, which have every field of Karmada's API. */
const SPECS: Readonly<Record<string, DescMessage>> = {
  PropagationPolicy: PropagationPolicySpecSchema,
  ClusterPropagationPolicy: PropagationPolicySpecSchema,
  OverridePolicy: OverridePolicySpecSchema,
  ClusterOverridePolicy: OverridePolicySpecSchema,
}

/** Fields that a message does not have, at any depth: mostly misspelled ones, without which the policy does something else. */
function unknownFields(schema: DescMessage | undefined, value: unknown, path: string): FieldViolation[] {
  if (!schema || schema.typeName === RawJSONSchema.typeName) return []
  if (Array.isArray(value))
    return value.flatMap((item, index) => unknownFields(schema, item, `${path}[${index}]`))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, one]) => {
    const field = schema.fields.find(({ jsonName, localName }) => jsonName === key || localName === key)
    if (!field) return [{ field: `${path}.${key}`, description: `there is no such field in ${schema.name}` }]
    return field.fieldKind === 'map' ? [] : unknownFields(field.message, one, `${path}.${key}`)
  })
}
