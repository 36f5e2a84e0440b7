import { ACCESS_LOCKS } from '../../manifests/access-lock.js'
import { INSTANCES, type Instance } from '../../manifests/instance.js'
import {
  INSTANCE_REGISTRATIONS,
  type InstanceRegistration,
  registrationVerdict,
} from '../../manifests/instance-registration.js'
import { INSTANCE_ROLE_BINDINGS, type InstanceRoleBinding } from '../../manifests/instance-role-binding.js'
import { installedVersion, installVerdict, KARMADAS, type Karmada } from '../../manifests/karmada.js'
import type { GroupVersionResource, KubeObject } from '../../manifests/kube.js'
import { PEDIA_CLUSTERS } from '../../manifests/pedia-cluster.js'
import {
  WORKSPACE_BINDINGS,
  WORKSPACES,
  type Workspace,
  type WorkspaceBinding,
} from '../../manifests/workspace.js'
import { WORKSPACE_ROLE_BINDINGS, type WorkspaceRoleBinding } from '../../manifests/workspace-role-binding.js'
import type { KubeApi } from '../../ports/kube-api.js'
import type { Meter } from '../../ports/meter.js'
import { Collection } from '../watches/collection.js'
import { AccessLockIndex } from './access-lock-index.js'
import { EventRecorder } from './event-recorder.js'
import { HostPulse } from './host-pulse.js'
import { type Kept, kept } from './kept-object.js'
import { type KeptVirtualCluster, keptVirtualCluster } from './kept-virtual-cluster.js'
import { RoleBindingIndex } from './role-bindings/role-binding-index.js'
import { Secrets } from './secrets.js'
import { WATCH_OF_RIGHTS } from './watch-of-rights.js'

/** What stays in memory of a Karmada object. */
export interface KeptKarmada extends Kept {
  readonly status?: NonNullable<Karmada['status']>
}

/** The host cluster as all instances see it: one watch per type, whatever the number of instances. */
export interface Host {
  readonly api: KubeApi
  readonly instances: Collection<Instance>
  readonly virtualClusters: Collection<KeptVirtualCluster>
  readonly registrations: Collection<Kept>
  readonly roleBindings: RoleBindingIndex
  readonly accessLocks: AccessLockIndex
  readonly karmadas: Collection<KeptKarmada>
  readonly secrets: Secrets
  /** Kubernetes Events about Instances. */
  readonly events: EventRecorder
  start(): void
  stop(): void
}

/** managedFields are the bulk of a small object, and are not read here. */
function lean<T extends KubeObject>(object: KubeObject): T {
  const { managedFields: _, ...metadata } = object.metadata
  return { ...object, metadata } as T
}

const keptKarmada = (object: KubeObject): KeptKarmada => {
  const karmada = object as Karmada
  const version = installedVersion(karmada)
  const { outside, ...named } = kept<Karmada>(installVerdict)(object)
  return {
    ...named,
    outside: { ...outside, ...(version !== undefined && { version }) },
    ...(karmada.status && { status: karmada.status }),
  }
}

/** The shared watches on the host; nothing is requested before `start`. */
export function watchHost(api: KubeApi, meter: Meter): Host {
  const instances = new Collection<Instance>(INSTANCES, api, 'status', lean, meter)
  const virtualClusters = new Collection(PEDIA_CLUSTERS, api, 'virtual cluster', keptVirtualCluster, meter)
  const registrations = new Collection(
    INSTANCE_REGISTRATIONS,
    api,
    'registration',
    kept<InstanceRegistration>(registrationVerdict),
    meter,
  )
  const ofRoles = <T extends KubeObject>(resource: GroupVersionResource) =>
    new Collection<T>(resource, api, 'role bindings', lean, meter, WATCH_OF_RIGHTS)
  const roleSources = {
    bindings: ofRoles<InstanceRoleBinding>(INSTANCE_ROLE_BINDINGS),
    workspaces: ofRoles<Workspace>(WORKSPACES),
    workspaceBindings: ofRoles<WorkspaceBinding>(WORKSPACE_BINDINGS),
    workspaceRoleBindings: ofRoles<WorkspaceRoleBinding>(WORKSPACE_ROLE_BINDINGS),
  }
  const pulse = new HostPulse(api)
  const roleBindings = new RoleBindingIndex(roleSources, undefined, pulse)
  const accessLocks = new AccessLockIndex(
    new Collection<KubeObject>(ACCESS_LOCKS, api, 'access locks', lean, meter, WATCH_OF_RIGHTS),
  )
  const karmadas = new Collection(KARMADAS, api, 'installation', keptKarmada, meter)
  const secrets = new Secrets(api, meter)
  const events = new EventRecorder(api, meter)
  const collections = [
    ...[virtualClusters, registrations, accessLocks.collection, karmadas, instances],
    ...Object.values(roleSources),
  ]
  return {
    api,
    instances,
    virtualClusters,
    registrations,
    roleBindings,
    accessLocks,
    karmadas,
    secrets,
    events,
    start: () => {
      for (const collection of collections) collection.start()
      pulse.start()
    },
    stop: () => {
      pulse.stop()
      for (const collection of collections) collection.stop()
      roleBindings.stop()
      accessLocks.stop()
      secrets.stop()
    },
  }
}
