import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { ACCESS_LOCKS, type AccessLock } from '../../manifests/access-lock.js'
import type { Instance } from '../../manifests/instance.js'
import { INSTANCES } from '../../manifests/instance.js'
import { INSTANCE_REGISTRATIONS, type InstanceRegistration } from '../../manifests/instance-registration.js'
import { INSTANCE_ROLE_BINDINGS, type InstanceRoleBinding } from '../../manifests/instance-role-binding.js'
import type { Condition } from '../../manifests/kube.js'
import {
  WORKSPACE_BINDINGS,
  WORKSPACES,
  type Workspace,
  type WorkspaceBinding,
} from '../../manifests/workspace.js'
import { WORKSPACE_ROLE_BINDINGS, type WorkspaceRoleBinding } from '../../manifests/workspace-role-binding.js'

interface Schema {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly additionalProperties?: Schema
  readonly enum?: readonly unknown[]
  readonly required?: readonly string[]
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean
}

const folder = resolve(import.meta.dirname, '../../manifests/crds')
const crds = new Map(
  readdirSync(folder).map(file => [
    file.replace(/\.yaml$/, ''),
    parse(readFileSync(join(folder, file), 'utf8')),
  ]),
)
const schemaOf = (name: string): Schema => crds.get(name).spec.versions[0].schema.openAPIV3Schema

/** A type with every optional field present. The compiler refuses an example that lacks one, or has one too many. */
type Whole<T> = T extends string | number | boolean
  ? T
  : T extends readonly (infer Item)[]
    ? readonly [Whole<Item>]
    : { readonly [Key in keyof T]-?: Whole<T[Key]> }
type Examples<T extends { spec: unknown; status?: unknown }> = Whole<Pick<T, 'spec' | 'status'>>

const condition: Whole<Condition> = {
  type: 'Ready',
  status: 'True',
  reason: 'AllHold',
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
  observedGeneration: 1,
}
const secretRef = { namespace: 'n', name: 's', key: 'kubeconfig' }
const num = { totalNum: 1, readyNum: 1 }

const instance: Examples<Instance> = {
  spec: {
    alias: 'EU',
    description: 'd',
    kubeconfigSecretRef: secretRef,
    install: { namespace: 'n', hostCluster: { secretRef }, karmadaSpec: { any: {} } },
    deletionPolicy: 'Retain',
    index: { resources: [{ group: '', versions: ['v1'], resources: ['pods'] }] },
  },
  status: {
    observedGeneration: 1,
    phase: 'Ready',
    conditions: [condition],
    endpoint: 'https://a',
    controlPlaneID: 'u',
    kubernetesVersion: 'v1',
    karmadaVersion: 'v1',
    summary: {
      resourceTotalNum: { any: 1 },
      policyTotalNum: { any: 1 },
      clusterSummary: num,
      nodeSummary: num,
      resourceSummary: { allocatable: { any: '1' }, allocating: { any: '1' }, allocated: { any: '1' } },
      workLoadSummary: { any: num },
    },
  },
}
const registration: Examples<InstanceRegistration> = {
  spec: {
    resourceType: 'instance',
    resourceName: 'eu',
    displayName: 'EU',
    url: 'https://a',
    scopes: ['instance'],
    roles: [{ role: 'Admin', scope: 'instance', actions: ['get instances'] }],
  },
  status: { conditions: [condition] },
}
const roleBinding: Examples<InstanceRoleBinding> = {
  spec: {
    instance: 'eu',
    namespaces: ['a'],
    role: 'Admin',
    subjects: [{ kind: 'User', name: 'a', namespace: 'n', apiGroup: '' }],
    expiresAt: '2026-01-01T00:00:00Z',
    reason: 'r',
  },
  status: { conditions: [condition] },
}
const workspaceRoleBinding: Examples<WorkspaceRoleBinding> = {
  spec: {
    workspace: 'w',
    role: 'Admin',
    subjects: [{ kind: 'User', name: 'a', namespace: 'n', apiGroup: '' }],
    expiresAt: '2026-01-01T00:00:00Z',
    reason: 'r',
  },
  status: { conditions: [condition] },
}

const workspace: Whole<Pick<Workspace, 'spec'>> = { spec: { id: 1, alias: 'a' } }
const workspaceBinding: Whole<Pick<WorkspaceBinding, 'spec'>> = {
  spec: { workspace: 'w', instance: 'eu', namespace: 'a' },
}

const accessLock: Whole<Pick<AccessLock, 'spec'>> = {
  spec: {
    user: 'a',
    group: 'g',
    tokenId: 't',
    instance: 'eu',
    message: 'm',
    expiresAt: '2026-01-01T00:00:00Z',
  },
}

const examples: Record<string, object> = {
  'instances.kairship.io': instance,
  'instanceregistrations.kairship.io': registration,
  'instancerolebindings.kairship.io': roleBinding,
  'workspaces.kairship.io': workspace,
  'workspacebindings.kairship.io': workspaceBinding,
  'accesslocks.kairship.io': accessLock,
  'workspacerolebindings.kairship.io': workspaceRoleBinding,
}

/** `spec.index.resources[].group`, one line a field; `{}` stands for any key of a map. */
function* fieldsOfSchema(schema: Schema, at: string): Generator<string> {
  if (schema.properties)
    for (const [key, child] of Object.entries(schema.properties)) yield* fieldsOfSchema(child, `${at}.${key}`)
  else if (schema.items) yield* fieldsOfSchema(schema.items, `${at}[]`)
  else if (schema.additionalProperties) yield* fieldsOfSchema(schema.additionalProperties, `${at}{}`)
  else yield `${at}: ${schema['x-kubernetes-preserve-unknown-fields'] ? 'anything' : schema.type}`
}

function* fieldsOfExample(value: unknown, at: string): Generator<string> {
  if (Array.isArray(value)) for (const item of value) yield* fieldsOfExample(item, `${at}[]`)
  else if (typeof value === 'object' && value !== null)
    for (const [key, child] of Object.entries(value)) {
      if (key === 'any' && typeof child === 'object' && Object.keys(child as object).length === 0)
        yield `${at}: anything`
      else yield* fieldsOfExample(child, key === 'any' ? `${at}{}` : `${at}.${key}`)
    }
  else yield `${at}: ${typeof value === 'number' ? 'integer' : typeof value}`
}

describe('every CRD', () => {
  it('has a type, and every resource name in the code has a CRD', () => {
    const named = [
      ...[INSTANCES, INSTANCE_REGISTRATIONS, INSTANCE_ROLE_BINDINGS],
      ...[WORKSPACES, WORKSPACE_BINDINGS, WORKSPACE_ROLE_BINDINGS, ACCESS_LOCKS],
    ]
    expect([...crds.keys()].sort()).toEqual(named.map(({ group, resource }) => `${resource}.${group}`).sort())
    for (const { group, version, resource } of named) {
      const { spec, metadata } = crds.get(`${resource}.${group}`)
      expect(metadata.name).toBe(`${resource}.${group}`)
      expect([spec.group, spec.names.plural, spec.versions[0].name]).toEqual([group, resource, version])
    }
  })

  it('instances.kairship.io shows the reason of Ready in a column of kubectl get', () => {
    const { additionalPrinterColumns: columns } = crds.get('instances.kairship.io').spec.versions[0]
    const jsonPath = '.status.conditions[?(@.type=="Ready")].reason'
    expect(columns).toContainEqual(expect.objectContaining({ name: 'Reason', jsonPath }))
  })

  it('no column of kubectl get is the age of a time to come, which kubectl shows as <invalid>', () => {
    const columns = [...crds.values()].flatMap(({ spec }) => spec.versions[0].additionalPrinterColumns ?? [])
    const dates = columns.filter(({ type }) => type === 'date').map(({ name }) => name)
    expect([...new Set(dates)]).toEqual(['Age'])
  })

  for (const [name, example] of Object.entries(examples)) {
    it(`${name} has the fields of its TypeScript type, with the same types`, () => {
      const { spec, status } = schemaOf(name).properties!
      const declared = [...fieldsOfSchema(spec!, 'spec'), ...(status ? fieldsOfSchema(status, 'status') : [])]
      expect(declared.sort()).toEqual([...fieldsOfExample(example, '')].map(field => field.slice(1)).sort())
    })

    it(`${name} has status as a subresource`, () => {
      expect(crds.get(name).spec.versions[0].subresources).toEqual(
        schemaOf(name).properties?.status && { status: {} },
      )
      expect(schemaOf(name).required).toEqual(['spec'])
    })

    it(`${name} bounds every list and string, which keeps CEL and etcd cheap`, () => {
      const unbounded = [...open(schemaOf(name).properties!.spec!, 'spec')]
      expect(unbounded).toEqual([])
    })
  }
})

/** Strings without a length or enum, and lists without a number of items. */
function* open(schema: Schema & { maxLength?: number; maxItems?: number }, at: string): Generator<string> {
  if (schema.type === 'string' && schema.maxLength === undefined && schema.enum === undefined) yield at
  if (schema.type === 'array' && schema.maxItems === undefined) yield `${at}[]`
  if (schema.items) yield* open(schema.items, `${at}[]`)
  for (const [key, child] of Object.entries(schema.properties ?? {})) yield* open(child, `${at}.${key}`)
}
