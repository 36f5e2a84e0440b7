/** The CRDs of which there are cases. */
export const CRD_NAMES = [
  ...(['instances', 'instanceregistrations', 'instancerolebindings'] as const),
  ...(['workspacebindings', 'workspacerolebindings', 'accesslocks'] as const),
] as const
type CrdName = (typeof CRD_NAMES)[number]

/** Objects that an API server with our CRDs must accept or refuse. Run against the embedded and the real one. */
export interface Case {
  readonly what: string
  readonly crd: CrdName
  readonly object: Readonly<Record<string, unknown>>
  /** The object as stored before, for an update. */
  readonly old?: Readonly<Record<string, unknown>>
  /** What the refusal says; absent for what must be accepted. */
  readonly refused?: RegExp
}

const secret = { namespace: 'kairship-system', name: 'eu' }
const instance = (spec: unknown, name = 'eu') => ({
  apiVersion: 'kairship.io/v1alpha1',
  kind: 'Instance',
  metadata: { name },
  spec,
})
const adopted = instance({ kubeconfigSecretRef: secret })
const installed = (install: object = {}) => instance({ install, deletionPolicy: 'Delete' })
const binding = (spec: object) => ({
  apiVersion: 'kairship.io/v1alpha1',
  kind: 'InstanceRoleBinding',
  metadata: { name: 'b' },
  spec: { instance: 'eu', role: 'Viewer', subjects: [{ kind: 'User', name: 'ann' }], ...spec },
})
const member = (spec: object) => ({
  apiVersion: 'kairship.io/v1alpha1',
  kind: 'WorkspaceRoleBinding',
  metadata: { name: 'b' },
  spec: { workspace: 'shop', role: 'Viewer', subjects: [{ kind: 'User', name: 'ann' }], ...spec },
})
const bound = (name: string, spec: object) => ({
  apiVersion: 'kairship.io/v1alpha1',
  kind: 'WorkspaceBinding',
  metadata: { name },
  spec: { workspace: 'shop', instance: 'eu', ...spec },
})
const emergency = { expiresAt: '2026-01-01T00:00:00Z', reason: 'INC-1: the site is down' }

const lock = (spec: object) => ({
  apiVersion: 'kairship.io/v1alpha1',
  kind: 'AccessLock',
  metadata: { name: 'l' },
  spec,
})

const accepted: readonly Case[] = [
  { what: 'a lock of a user', crd: 'accesslocks', object: lock({ user: 'system:serviceaccount:a:b' }) },
  {
    what: 'a lock of a token on an instance, for a time',
    crd: 'accesslocks',
    object: lock({ tokenId: 't', instance: 'eu', message: 'm', expiresAt: '2026-11-24T12:00:00Z' }),
  },
  { what: 'a lock of an instance', crd: 'accesslocks', object: lock({ instance: 'eu' }) },
  {
    what: 'another message for a lock',
    crd: 'accesslocks',
    old: lock({ user: 'a' }),
    object: lock({ user: 'a', message: 'm' }),
  },
  { what: 'an adopted instance', crd: 'instances', object: adopted },
  {
    what: 'an installed instance',
    crd: 'instances',
    object: installed({ karmadaSpec: { components: { any: 'thing' } } }),
  },
  {
    what: 'an adopted instance with a name of 48 characters',
    crd: 'instances',
    object: instance({ kubeconfigSecretRef: secret }, 'a'.repeat(48)),
  },
  {
    what: 'an installed instance with a name of 34 characters',
    crd: 'instances',
    object: instance({ install: {} }, 'a'.repeat(34)),
  },
  {
    what: 'an installed instance with a name of 42 characters that contains karmada',
    crd: 'instances',
    object: instance({ install: {} }, 'karmada'.padEnd(42, 'a')),
  },
  {
    what: 'an alias of 63 letters of any script',
    crd: 'instances',
    object: instance({ install: {}, alias: '欧'.repeat(63) }),
  },
  {
    what: 'another Secret for an adopted instance',
    crd: 'instances',
    old: adopted,
    object: instance({ kubeconfigSecretRef: { ...secret, name: 'rotated' } }),
  },
  {
    what: 'an unchanged installation',
    crd: 'instances',
    old: installed({ namespace: 'a' }),
    object: installed({ namespace: 'a', karmadaSpec: {} }),
  },
  { what: 'a role on the whole instance', crd: 'instancerolebindings', object: binding({}) },
  {
    what: 'a role for a service account in some namespaces',
    crd: 'instancerolebindings',
    object: binding({
      namespaces: ['a', 'b'],
      subjects: [{ kind: 'ServiceAccount', namespace: 'n', name: 's' }],
    }),
  },
  { what: 'a role that ends', crd: 'instancerolebindings', object: binding(emergency) },
  {
    what: 'to put the end of a role off',
    crd: 'instancerolebindings',
    old: binding(emergency),
    object: binding({ ...emergency, expiresAt: '2026-01-02T00:00:00.5+02:00' }),
  },
  { what: 'a role of members of a workspace', crd: 'workspacerolebindings', object: member(emergency) },
  { what: 'an instance of a workspace', crd: 'workspacebindings', object: bound('instance-eu', {}) },
  {
    what: 'a namespace of a workspace',
    crd: 'workspacebindings',
    object: bound('namespace-web.eu', { namespace: 'web' }),
  },
]

const refused: readonly Case[] = [
  {
    what: 'a role that ends tomorrow',
    crd: 'instancerolebindings',
    object: binding({ expiresAt: 'tomorrow' }),
    refused: /spec\.expiresAt/,
  },
  {
    what: 'to hand members of one workspace to another',
    crd: 'workspacerolebindings',
    old: member({}),
    object: member({ workspace: 'bank' }),
    refused: /workspace and role are immutable/,
  },
  {
    what: 'to raise the role of members',
    crd: 'workspacerolebindings',
    old: member({}),
    object: member({ role: 'Admin' }),
    refused: /workspace and role are immutable/,
  },
  {
    what: 'an instance of two workspaces',
    crd: 'workspacebindings',
    object: bound('another', {}),
    refused: /metadata\.name must be instance-<instance>/,
  },
  {
    what: 'a namespace under the name of its instance',
    crd: 'workspacebindings',
    object: bound('instance-eu', { namespace: 'web' }),
    refused: /metadata\.name must be instance-<instance>/,
  },
  {
    what: 'neither adopt nor install',
    crd: 'instances',
    object: instance({}),
    refused: /exactly one of kubeconfigSecretRef and install must be set/,
  },
  {
    what: 'both adopt and install',
    crd: 'instances',
    object: instance({ kubeconfigSecretRef: secret, install: {} }),
    refused: /exactly one of kubeconfigSecretRef and install must be set/,
  },
  {
    what: 'no spec',
    crd: 'instances',
    object: { ...adopted, spec: undefined },
    refused: /spec: Required value/,
  },
  {
    what: 'a spec that is a list',
    crd: 'instances',
    object: instance([]),
    refused: /spec: Invalid value: "array"/,
  },
  {
    what: 'to delete what was adopted',
    crd: 'instances',
    object: instance({ kubeconfigSecretRef: secret, deletionPolicy: 'Delete' }),
    refused: /an adopted control plane is never uninstalled/,
  },
  {
    what: 'an unknown policy',
    crd: 'instances',
    object: instance({ install: {}, deletionPolicy: 'Keep' }),
    refused:
      /spec\.deletionPolicy: Unsupported value: "Keep": supported values: "(Retain", "Delete|Delete", "Retain)"/,
  },
  {
    what: 'the name config',
    crd: 'instances',
    object: instance({ install: {} }, 'config'),
    refused: /metadata\.name must not be 'config'/,
  },
  {
    what: 'a name of 49 characters',
    crd: 'instances',
    object: instance({ kubeconfigSecretRef: secret }, 'a'.repeat(49)),
    refused: /metadata\.name: Too long: may not be more than 48/,
  },
  {
    what: 'an installed instance whose Services could not be named',
    crd: 'instances',
    object: instance({ install: {} }, 'a'.repeat(35)),
    refused: /metadata\.name must have at most 34 characters/,
  },
  {
    what: 'an installed instance whose Services could not be named, with karmada in its name',
    crd: 'instances',
    object: instance({ install: {} }, 'karmada'.padEnd(43, 'a')),
    refused: /metadata\.name must have at most 34 characters/,
  },
  {
    what: 'a name with dots',
    crd: 'instances',
    object: instance({ install: {} }, 'eu.west'),
    refused: /metadata\.name in body should match/,
  },
  {
    what: 'an alias of 64 characters',
    crd: 'instances',
    object: instance({ install: {}, alias: 'a'.repeat(64) }),
    refused: /spec\.alias: Too long: may not be more than 63/,
  },
  {
    what: 'a Secret without a namespace',
    crd: 'instances',
    object: instance({ kubeconfigSecretRef: { name: 'eu' } }),
    refused: /spec\.kubeconfigSecretRef\.namespace: Required value/,
  },
  {
    what: 'a Secret’s name in capitals',
    crd: 'instances',
    object: instance({ kubeconfigSecretRef: { ...secret, name: 'EU' } }),
    refused: /spec\.kubeconfigSecretRef\.name in body should match/,
  },
  {
    what: 'an empty list of what to index',
    crd: 'instances',
    object: instance({ install: {}, index: { resources: [] } }),
    refused: /spec\.index\.resources/,
  },
  {
    what: 'to index a resource called *',
    crd: 'instances',
    object: instance({ install: {}, index: { resources: [{ group: '', resources: ['*'] }] } }),
    refused: /should match/,
  },
  {
    what: 'to make an adopted instance an installed one',
    crd: 'instances',
    old: adopted,
    object: instance({ install: {} }),
    refused: /an adopted control plane cannot become an installed one/,
  },
  {
    what: 'to move an installation',
    crd: 'instances',
    old: installed({ namespace: 'a' }),
    object: installed({ namespace: 'b' }),
    refused: /namespace is immutable/,
  },
  {
    what: 'to take the namespace of an installation away',
    crd: 'instances',
    old: installed({ namespace: 'a' }),
    object: installed(),
    refused: /namespace is immutable/,
  },
  {
    what: 'to move an installation to another cluster',
    crd: 'instances',
    old: installed({ hostCluster: { secretRef: secret } }),
    object: installed({ hostCluster: { secretRef: { ...secret, name: 'other' } } }),
    refused: /hostCluster\.secretRef is immutable/,
  },
  {
    what: 'to take the cluster of an installation away',
    crd: 'instances',
    old: installed({ hostCluster: { secretRef: secret } }),
    object: installed(),
    refused: /hostCluster cannot be added or removed/,
  },
  {
    what: 'a status with an unknown phase',
    crd: 'instances',
    object: { ...adopted, status: { phase: 'Fine' } },
    refused: /status\.phase: Unsupported value/,
  },
  {
    what: 'two conditions of one type',
    crd: 'instances',
    object: { ...adopted, status: { conditions: [condition('Ready'), condition('Ready')] } },
    refused: /status\.conditions\[1\]: Duplicate value/,
  },
  {
    what: 'to hand a registration to another instance',
    crd: 'instanceregistrations',
    old: registration('eu'),
    object: registration('us'),
    refused: /resourceType and resourceName are immutable/,
  },
  {
    what: 'a role of no kind',
    crd: 'instancerolebindings',
    object: binding({ role: 'Owner' }),
    refused: /spec\.role: Unsupported value: "Owner"/,
  },
  {
    what: 'a role without subjects',
    crd: 'instancerolebindings',
    object: binding({ subjects: [] }),
    refused: /spec\.subjects/,
  },
  {
    what: 'a role in no namespace',
    crd: 'instancerolebindings',
    object: binding({ namespaces: [] }),
    refused: /spec\.namespaces/,
  },
  {
    what: 'a role twice in a namespace',
    crd: 'instancerolebindings',
    object: binding({ namespaces: ['a', 'a'] }),
    refused: /spec\.namespaces\[1\]: Duplicate value/,
  },
  {
    what: 'a service account of nowhere',
    crd: 'instancerolebindings',
    object: binding({ subjects: [{ kind: 'ServiceAccount', name: 's' }] }),
    refused: /namespace must be set for a ServiceAccount/,
  },
  {
    what: 'a user in a namespace',
    crd: 'instancerolebindings',
    object: binding({ subjects: [{ kind: 'User', name: 'ann', namespace: 'n' }] }),
    refused: /namespace must be set for a ServiceAccount/,
  },
  {
    what: 'to raise a role',
    crd: 'instancerolebindings',
    old: binding({}),
    object: binding({ role: 'Admin' }),
    refused: /instance and role are immutable/,
  },
  {
    what: 'a lock of nobody',
    crd: 'accesslocks',
    object: lock({ message: 'm' }),
    refused: /at least one of user, group, tokenId and instance must be given/,
  },
  { what: 'a lock of an empty name', crd: 'accesslocks', object: lock({ user: '' }), refused: /spec\.user/ },
  {
    what: 'a lock until no time',
    crd: 'accesslocks',
    object: lock({ user: 'a', expiresAt: 'tomorrow' }),
    refused: /spec\.expiresAt/,
  },
]

function condition(type: string) {
  return { type, status: 'True', reason: 'R', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' }
}

function registration(resourceName: string) {
  return {
    apiVersion: 'kairship.io/v1alpha1',
    kind: 'InstanceRegistration',
    metadata: { name: 'eu' },
    spec: { resourceType: 'instance', resourceName, displayName: 'EU' },
  }
}

/** Accepted first, so that a schema that refuses everything fails at once. */
export const cases: readonly Case[] = [...accepted, ...refused]
