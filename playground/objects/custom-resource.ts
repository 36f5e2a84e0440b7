import { object, type Schema, text } from './schema.js'

/** One column of `kubectl get`, as a CRD declares it. */
export interface PrinterColumn {
  readonly name: string
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date'
  readonly jsonPath: string
  readonly description?: string
  readonly priority?: number
}

/** One served version of a custom resource. */
export interface CustomResourceVersion {
  readonly name: string
  readonly spec?: Schema
  /** Its presence enables the status subresource. */
  readonly status?: Schema
  /** Top-level fields beside spec and status. */
  readonly fields?: Readonly<Record<string, Schema>>
  /** Top-level fields that must be present; by default `spec`, where there is one. */
  readonly required?: readonly string[]
  readonly columns?: readonly PrinterColumn[]
  /** False for a version that is served but not the stored one. */
  readonly storage?: boolean
}

/** What has to be said about a custom resource; the rest of its CRD follows from it. */
export interface CustomResource {
  readonly group: string
  readonly kind: string
  readonly plural: string
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  readonly scope: 'Namespaced' | 'Cluster'
  readonly description: string
  readonly versions: readonly CustomResourceVersion[]
}

/** apiextensions.k8s.io/v1 CustomResourceDefinition, without status. */
export interface CustomResourceDefinition {
  readonly apiVersion: 'apiextensions.k8s.io/v1'
  readonly kind: 'CustomResourceDefinition'
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> }
  readonly spec: {
    readonly group: string
    readonly scope: 'Namespaced' | 'Cluster'
    readonly names: Readonly<Record<string, unknown>> & { readonly kind: string; readonly plural: string }
    readonly versions: readonly Readonly<Record<string, unknown>>[]
  }
}

/** The age column that most resources end with. */
export const ageColumn: PrinterColumn = {
  name: 'AGE',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
}

/** Writes the CustomResourceDefinition document of a custom resource. */
export function customResourceDefinition(resource: CustomResource): CustomResourceDefinition {
  const { group, kind, plural, scope, shortNames, categories } = resource
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        ...(shortNames && { shortNames }),
        ...(categories && { categories }),
      },
      versions: resource.versions.map(version => servedVersion(version, resource.description)),
    },
  }
}

function servedVersion(version: CustomResourceVersion, description: string): Record<string, unknown> {
  const { spec, status, columns, fields, required = spec ? ['spec'] : [] } = version
  const properties = {
    apiVersion: text,
    kind: text,
    metadata: { type: 'object' as const },
    ...fields,
    ...(spec && { spec }),
    ...(status && { status }),
  }
  const schema = required.length > 0 ? object(properties, required) : object(properties)
  return {
    name: version.name,
    served: true,
    storage: version.storage ?? true,
    ...(status && { subresources: { status: {} } }),
    ...(columns && { additionalPrinterColumns: columns }),
    schema: { openAPIV3Schema: { ...schema, description } },
  }
}
