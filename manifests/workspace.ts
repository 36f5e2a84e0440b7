import { type Instance, KAIRSHIP_GROUP, KAIRSHIP_VERSION } from './instance.js'
import type { KubeObject } from './kube.js'
import { labelsOf, ownedBy } from './names.js'

/** `workspaces.kairship.io/v1alpha1`, cluster-scoped. */
export const WORKSPACES = {
  group: KAIRSHIP_GROUP,
  version: KAIRSHIP_VERSION,
  resource: 'workspaces',
} as const

/** `workspacebindings.kairship.io/v1alpha1`, cluster-scoped. */
export const WORKSPACE_BINDINGS = {
  group: KAIRSHIP_GROUP,
  version: KAIRSHIP_VERSION,
  resource: 'workspacebindings',
} as const

/** A workspace of Global Management, which writes these; its name is that of the object. */
export interface Workspace extends KubeObject {
  readonly apiVersion: 'kairship.io/v1alpha1'
  readonly kind: 'Workspace'
  readonly spec: {
    /** What Global Management knows it by; 0 is no workspace. */
    readonly id: number
    /** A name for people. */
    readonly alias?: string
  }
}

/** Says that an instance, or a namespace of one, belongs to a workspace. Kairship writes these, Global Management reads them. */
export interface WorkspaceBinding extends KubeObject {
  readonly apiVersion: 'kairship.io/v1alpha1'
  readonly kind: 'WorkspaceBinding'
  readonly spec: {
    /** The Workspace's name. */
    readonly workspace: string
    /** The Instance's name. */
    readonly instance: string
    /** Absent for the instance itself. */
    readonly namespace?: string
  }
}

/** What a binding is about: an instance, or a namespace of it. */
export interface Bindable {
  readonly instance: string
  readonly namespace?: string
}

/**
 * The name of the one binding that an instance or a namespace can have: that it belongs to one workspace at most, the host's API
 * server keeps, by refusing a second object of a name. Names of namespaces have no dots.
 */
export const bindingNameOf = ({ instance, namespace }: Bindable): string =>
  namespace === undefined ? `instance-${instance}` : `namespace-${namespace}.${instance}`

/** The binding of an instance, or of a namespace of it; it goes with the Instance. */
export const renderWorkspaceBinding = (
  instance: Instance,
  workspace: string,
  namespace?: string,
): WorkspaceBinding => {
  const { name } = instance.metadata
  const bound = { instance: name, ...(namespace !== undefined && { namespace }) }
  return {
    apiVersion: 'kairship.io/v1alpha1',
    kind: 'WorkspaceBinding',
    metadata: { name: bindingNameOf(bound), labels: labelsOf(name), ...ownedBy(instance) },
    spec: { workspace, ...bound },
  }
}
