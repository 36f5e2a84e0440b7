import { parseQuantity } from '../../manifests/quantity.js'
import type { Component, ReplicaRequirements } from '../objects/binding.js'
import { requirementsOf } from './replicas.js'
import { sparkComponents } from './spark-components.js'
import { type PodSpec, type Resource, typeOf } from './workload.js'
import { writtenQuantity } from './written-quantity.js'

interface Templated {
  readonly replicas?: number | string
  readonly template?: { readonly spec?: PodSpec }
}

interface RayClusterSpec {
  readonly headGroupSpec?: Templated
  readonly workerGroupSpecs?: readonly (Templated & { readonly groupName?: string })[]
}

interface FlinkManager {
  readonly replicas?: number | string
  readonly resource?: { readonly cpu?: number | string; readonly memory?: number | string }
}

interface FlinkSpec {
  readonly jobManager?: FlinkManager
  readonly taskManager?: FlinkManager
  readonly job?: { readonly parallelism?: number | string }
  readonly flinkConfiguration?: Readonly<Record<string, string | number>>
  readonly podTemplate?: { readonly spec?: PodSpec }
}

type Roles = Readonly<Record<string, Templated | undefined>>

/** The third-party kinds of which Karmada knows the components. */
const kinds: Readonly<Record<string, (spec: never) => readonly Component[]>> = {
  'flink.apache.org/v1beta1 FlinkDeployment': flinkComponents,
  'batch.volcano.sh/v1alpha1 Job': ({
    tasks = [],
  }: {
    readonly tasks?: readonly (Templated & { name?: string; minAvailable?: number | string })[]
  }) =>
    tasks.map((task, at) =>
      templated(task.name || `task-${at}`, { ...task, replicas: task.minAvailable ?? 1 }, 1),
    ),
  'ray.io/v1 RayCluster': rayComponents,
  'ray.io/v1 RayJob': ({ rayClusterSpec = {} }: { readonly rayClusterSpec?: RayClusterSpec }) =>
    rayComponents(rayClusterSpec),
  'sparkoperator.k8s.io/v1beta2 SparkApplication': sparkComponents,
  'kubeflow.org/v1 PyTorchJob': ({ pytorchReplicaSpecs = {} }: { readonly pytorchReplicaSpecs?: Roles }) =>
    ofRoles(pytorchReplicaSpecs, ['Master', 'Worker']),
  'kubeflow.org/v1 TFJob': ({ tfReplicaSpecs = {} }: { readonly tfReplicaSpecs?: Roles }) =>
    ofRoles(tfReplicaSpecs, ['PS', 'Worker', 'Chief', 'Master', 'Evaluator']),
  'kubeflow.org/v2beta1 MPIJob': ({ mpiReplicaSpecs = {} }: { readonly mpiReplicaSpecs?: Roles }) =>
    Object.entries(mpiReplicaSpecs).flatMap(([name, role]) =>
      role?.template ? [templated(name, role, name.toLowerCase() === 'worker' ? 0 : 1)] : [],
    ),
}

/**
 * The pod templates of a workload that consists of several (`GetComponents` of Karmada's interpreter of third-party kinds, feature gate
 * MultiplePodTemplatesScheduling).
 * @returns undefined for kinds without components
 * @throws QuantityError where a resource is no quantity
 */
export const componentsOf = (resource: Resource): readonly Component[] | undefined =>
  kinds[typeOf(resource)]?.((resource.spec ?? {}) as never)

/** A component of pods with a template. @param fallback its replicas where it does not say how many */
function templated(name: string, { replicas, template }: Templated, fallback: number): Component {
  const pod = template?.spec ?? {}
  const requirements = requirementsOf(pod)
  const { priorityClassName } = pod
  const { resourceRequest = {}, ...rest } = requirements ?? {}
  const request = Object.entries(resourceRequest).map(([resource, text]) => [resource, writtenQuantity(text)])
  return {
    name,
    replicas: count(replicas) ?? fallback,
    ...(requirements && {
      replicaRequirements: {
        ...rest,
        ...(request.length > 0 && { resourceRequest: Object.fromEntries(request) }),
        ...(priorityClassName && { priorityClassName }),
      },
    }),
  }
}

const ofRoles = (roles: Roles, names: readonly string[]): readonly Component[] =>
  names.flatMap(name => {
    const role = roles[name]
    return role ? [templated(name.toLowerCase(), role, 1)] : []
  })

function rayComponents({ headGroupSpec, workerGroupSpecs = [] }: RayClusterSpec): readonly Component[] {
  const head = headGroupSpec?.template
    ? [templated('ray-head', { template: headGroupSpec.template, replicas: 1 }, 1)]
    : []
  const workers = workerGroupSpecs.map((group, at) =>
    templated(group.groupName || `worker-${at + 1}`, group, 0),
  )
  return [...head, ...workers]
}

function flinkComponents(spec: FlinkSpec): readonly Component[] {
  const { jobManager = {}, taskManager = {}, podTemplate } = spec
  const component = (name: string, { resource = {} }: FlinkManager, replicas: number): Component => {
    const { cpu, memory } = resource
    const resourceRequest = {
      ...(cpu !== undefined && { cpu: writtenQuantity(cpu) }),
      ...(memory !== undefined && { memory: asNumber(memory) }),
    }
    const requested = Object.keys(resourceRequest).length > 0 && { resourceRequest }
    return { name, replicas, replicaRequirements: { ...claimOf(podTemplate?.spec), ...requested } }
  }
  return [
    component('jobmanager', jobManager, count(jobManager.replicas) ?? 1),
    component('taskmanager', taskManager, count(taskManager.replicas) ?? taskManagers(spec)),
  ]
}

/** As many task managers as have slots for the job. */
function taskManagers({ job, flinkConfiguration }: FlinkSpec): number {
  const parallelism = count(job?.parallelism)
  const slots = count(flinkConfiguration?.['taskmanager.numberOfTaskSlots'])
  return parallelism === undefined || !slots ? 1 : Math.ceil(parallelism / slots)
}

/** Where the pods of a template may run, and their priority. */
function claimOf(pod: PodSpec = {}): ReplicaRequirements {
  const { nodeSelector, tolerations, priorityClassName } = pod
  const nodeClaim = { ...(nodeSelector && { nodeSelector }), ...(tolerations && { tolerations }) }
  return {
    ...(Object.keys(nodeClaim).length > 0 && { nodeClaim }),
    ...(priorityClassName && { priorityClassName }),
  }
}

/** Karmada's rule reads memory as a number, so that a binary suffix is lost. */
const asNumber = (text: string | number): string => writtenQuantity(Number(parseQuantity(text).nano) / 1e9)

/** A number, or a text that is one. */
function count(value: number | string | undefined): number | undefined {
  if (value === undefined || value === '') return undefined
  const number = Number(value)
  return Number.isNaN(number) ? undefined : number
}
