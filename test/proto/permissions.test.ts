import { type DescMethod, getOption } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { permission } from '../../proto/gen/kairship/permission_pb.js'
import { bindingsOf } from '../../transcoding/binding.js'
import { services } from './services.js'

/** All rpcs by `Service.Rpc`. */
const rpcs = new Map(
  services.flatMap(({ name, methods }) =>
    methods.map((method): [string, DescMethod] => [`${name.replace(/Service$/, '')}.${method.name}`, method]),
  ),
)
const permissionOf = (method: DescMethod) => getOption(method, permission)

/** Rights on the host, by what they are to; every rpc that is not about one type of an instance's objects is here. */
const onTheHost: Readonly<Record<string, readonly string[]>> = {
  'any caller': [
    'AccessReview.WhoAmI',
    'AccessReview.ReviewAccess',
    'Image.DetectKangaroo',
    'Instance.GetInstanceKarmadaConfig',
    'Instance.GetInstanceChart',
  ],
  'list instances, or those that the caller may get': [
    'Instance.ListInstances',
    'Workspace.ListInstances',
    'Workspace.ListNamespaceInstances',
  ],
  'watch instances, or those that the caller may get': [
    'Instance.WatchInstances',
    'Workspace.WatchInstances',
    'Workspace.WatchNamespaceInstances',
  ],
  'get instances/proxy, or those that the caller may get': [
    'Fleet.ListFleetObjects',
    'Fleet.WatchFleetObjects',
  ],
  'list instances/audit, or those that the caller may get': ['Audit.ListAuditEvents'],
  'watch instances/audit, or those that the caller may get': ['Audit.WatchAuditEvents'],
  'list instancerolebindings': ['RoleBinding.ListInstanceRoleBindings'],
  'watch instancerolebindings': ['RoleBinding.WatchInstanceRoleBindings'],
  'get instancerolebindings of name': ['RoleBinding.GetInstanceRoleBinding'],
  'create instancerolebindings': ['RoleBinding.CreateInstanceRoleBinding'],
  'update instancerolebindings of name': ['RoleBinding.UpdateInstanceRoleBinding'],
  'delete instancerolebindings of name': ['RoleBinding.DeleteInstanceRoleBinding'],
  'list workspacerolebindings': ['RoleBinding.ListWorkspaceRoleBindings'],
  'watch workspacerolebindings': ['RoleBinding.WatchWorkspaceRoleBindings'],
  'get workspacerolebindings of name': ['RoleBinding.GetWorkspaceRoleBinding'],
  'create workspacerolebindings': ['RoleBinding.CreateWorkspaceRoleBinding'],
  'update workspacerolebindings of name': ['RoleBinding.UpdateWorkspaceRoleBinding'],
  'delete workspacerolebindings of name': ['RoleBinding.DeleteWorkspaceRoleBinding'],
  'create instances': ['Instance.CreateInstance'],
  'get instances of instance': ['AccessReview.ExplainAccess'],
  'get instances/access of instance': ['AccessReview.ListAccessSubjects', 'AccessReview.PreviewRoleBinding'],
  'get instances/access': ['AccessReview.PreviewWorkspaceRoleBinding'],
  'get instances of name': [
    'Instance.GetInstance',
    'Instance.GetInstanceJSON',
    'Instance.ExplainInstance',
    'Instance.ListInstanceTransitions',
  ],
  'update instances of name': ['Instance.UpdateInstance'],
  'delete instances of name': ['Instance.DeleteInstance'],
  'get instances/inspect of name': ['Instance.InspectInstance'],
  'get instances/proxy of instance': [
    'Instance.GetInstanceKubeConfig',
    'Placement.TracePropagation',
    'Placement.ExplainPlacement',
    'Placement.PreviewPolicy',
    'Placement.RehearseTaints',
  ],
  'create instances/kubeconfig of instance': [
    'Instance.CreateInstanceAdminKubeConfig',
    'Instance.CreateInstanceScopedKubeConfig',
  ],
  'create instances/token of instance': ['Instance.CreateInstanceToken'],
  'get instances/failover of instance': ['Instance.GetInstanceFailover'],
  'update instances/failover of instance': ['Instance.UpdateInstanceFailover'],
  'get instances/descheduler of instance': ['Instance.GetInstanceDescheduler'],
  'update instances/descheduler of instance': ['Instance.UpdateInstanceDescheduler'],
  'get instances/metricsadapter of instance': ['Instance.GetInstanceMetricsAdapter'],
  'update instances/metricsadapter of instance': ['Instance.UpdateInstanceMetricsAdapter'],
  'create instances/cloudshells of instance': ['CloudShell.CreateCloudShell'],
  'get instances/cloudshells of instance': ['CloudShell.GetCloudShell'],
  'delete instances/cloudshells of instance': ['CloudShell.DeleteCloudShell'],
  'create instances/clusters of instance': ['Cluster.JoinCluster'],
  'delete instances/clusters of instance': ['Cluster.RemoveJoinedCluster'],
  'list accesslocks': ['AccessLock.ListAccessLocks'],
  'watch accesslocks': ['AccessLock.WatchAccessLocks'],
  'create accesslocks': ['AccessLock.CreateAccessLock'],
  'delete accesslocks of name': ['AccessLock.DeleteAccessLock'],
  'list clusters': ['Cluster.ListClusters'],
  'watch clusters': ['Cluster.WatchClusters'],
  'get instances/registries of instance': [
    'Image.ListRegistries',
    'Image.ListProjects',
    'Image.ListRepositories',
    'Image.ListArtifacts',
  ],
  'get instances/metrics of instance': [
    'Insight.QueryMetric',
    'Insight.QueryRangeMetric',
    'Insight.StreamInstanceActivity',
    'Insight.DetectInsight',
  ],
  'update instances/workspace of instance': ['Workspace.BindInstances', 'Workspace.BindNamespaceInstances'],
  'list workspaces': ['Workspace.ListWorkspaces'],
  'watch workspaces': ['Workspace.WatchWorkspaces'],
}

/** A permission on the host in words, as above. */
function rightOf(method: DescMethod): string {
  const { verb, resource, nameField, filtered, anyCaller } = permissionOf(method)
  if (anyCaller) return 'any caller'
  const which = filtered ? ', or those that the caller may get' : nameField && ` of ${nameField}`
  return `${verb} ${resource}${which}`
}

/** What an rpc does to objects, by the first word of its name. */
const VERBS: Readonly<Record<string, string>> = {
  ...{ List: 'list', Watch: 'watch', Get: 'get' },
  ...{ Create: 'create', Update: 'update', Patch: 'patch', Delete: 'delete' },
  ...{ Pause: 'patch', Resume: 'patch', Restart: 'patch', Scale: 'patch', Rollback: 'patch' },
  ...{ Promote: 'create', Cordon: 'update', Uncordon: 'update' },
}
/** Rpcs whose names say something else: what they are about, as `verb resource`. */
const OTHERS: Readonly<Record<string, string>> = {
  'Aggregation.CreateAggregationResource': 'create propagationpolicies',
  'Aggregation.CreateClusterAggregationResource': 'create clusterpropagationpolicies',
  'Apps.ListDeploymentRevisions': 'get deployments',
  'Workload.ListStatefulSetRevisions': 'get statefulsets',
  'Workload.ListDaemonSetRevisions': 'get daemonsets',
  // It is deleted and created anew.
  'Batch.RestartJob': 'create jobs',
  'Batch.ListJobsByCronJobsName': 'list jobs',
  'Cluster.ListClustersLabels': 'list clusters',
  'Cluster.ListClustersLocationSummary': 'list clusters',
  'Core.CreateWorkloadService': 'create services',
  'Core.ListInstanceEventKinds': 'list events',
  'Networking.ListIngressClassForMemberCluster': 'list ingressclasses',
  'WorkloadPods.StreamWorkloadLogs': 'list pods/log',
  'WorkloadPods.ListWorkloadEvents': 'list events',
  'WorkloadPods.WatchWorkloadEvents': 'watch events',
}
/** Words around the kind in names. */
const PLACES =
  /^(?:Instance|MemberClusterAll|MemberCluster|Joined)|(?:ForMemberCluster|JSON|Summary|Groups)$/g

/** `list deployments` for `Apps.ListMemberClusterDeployments`. */
function nameSays(name: string): string {
  const [, first = '', rest = ''] = /\.([A-Z][a-z]+)(.*)$/.exec(name) ?? []
  const kind = rest.replaceAll(PLACES, '').toLowerCase()
  const plural = /[^s]s$/.test(kind) ? kind : kind.replace(/s$/, 'se').replace(/y$/, 'ie').concat('s')
  return `${VERBS[first]} ${plural}`
}

/** What a request of each HTTP method may do. POST is also for what changes an object in a way of its own. */
const HTTP_VERBS: Readonly<Record<string, readonly string[]>> = {
  GET: ['get', 'list', 'watch'],
  PUT: ['update'],
  PATCH: ['patch'],
  DELETE: ['delete'],
  POST: ['create', 'patch', 'update'],
}

describe('the right that an rpc needs', () => {
  const objects = [...rpcs].filter(([, method]) => permissionOf(method).object)
  const others = [...rpcs].filter(([, method]) => !permissionOf(method).object)

  it('on the host is that of what it does', () => {
    const found: Record<string, string[]> = {}
    for (const [name, method] of others) {
      const right = rightOf(method)
      found[right] = [...(found[right] ?? []), name].sort()
    }
    const wanted = Object.entries(onTheHost).map(([right, names]) => [right, [...names].sort()])
    expect(found).toEqual(Object.fromEntries(wanted))
  })

  it.each(objects)('inside an instance is that of its name: %s', (name, method) => {
    const { verb, group, version, resource } = permissionOf(method).object!
    if (/\.\w+?(?:Cluster)?CustomResources?(?:JSON)?$/.test(name)) {
      // The request names the type.
      expect({ verb, type: [group, version, resource] }).toEqual({
        verb: nameSays(name).split(' ')[0],
        type: ['', '', ''],
      })
      return
    }
    expect(`${verb} ${resource}`).toBe(OTHERS[name] ?? nameSays(name))
  })

  it.each(objects)('inside an instance is one that its HTTP method is for: %s', (_name, method) => {
    for (const { verb } of bindingsOf(method))
      expect(HTTP_VERBS[verb]).toContain(permissionOf(method).object!.verb)
  })
})
