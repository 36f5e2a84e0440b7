import { Document } from 'yaml'
import { type WorkloadKind, workloadKinds } from '../../kube/workload-kinds.js'

/** The fields of the form. */
export interface WorkloadFields {
  readonly kind: WorkloadKind
  readonly name: string
  readonly namespace: string
  readonly image: string
  readonly replicas: number
  /** The container's port; absent where it has none. */
  readonly port?: number
  /** The schedule of a CronJob. */
  readonly schedule: string
  /** A shell command; empty for the image's own command. */
  readonly command: string
  /** Whether a policy is created with it. Without one the workload stays in the control plane, unless another policy selects it. */
  readonly withPolicy: boolean
  /** Empty means all clusters, also those that join later. */
  readonly clusters: readonly string[]
  /** Replicas are divided among the clusters; otherwise each cluster has all replicas. */
  readonly isDivided: boolean
}

const NAME = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** The mistakes of the form. */
export function mistakesOf({ kind, name, namespace, image, schedule }: WorkloadFields) {
  return {
    name: nameMistake(name),
    namespace: nameMistake(namespace),
    image: image.trim() === '' || /\s/.test(image.trim()),
    schedule: kind === 'cronjobs' && schedule.trim().split(/\s+/).length !== 5,
  }
}

/** Why a name cannot be one; undefined where it can. */
const nameMistake = (name: string): 'missing' | 'wrong' | undefined =>
  name === '' ? 'missing' : NAME.test(name) ? undefined : 'wrong'

/** Whether a kind has replicas that a policy can divide. */
export const hasReplicas = (kind: WorkloadKind): boolean => kind === 'deployments' || kind === 'statefulsets'

/** The YAML of the workload and its policy, in the usual style. */
export function sketchOf(fields: WorkloadFields): string {
  const documents = [workloadOf(fields), ...(fields.withPolicy ? [policyOf(fields)] : [])]
  return documents
    .map(each =>
      new Document(each, { version: '1.1', aliasDuplicateObjects: false }).toString({ indentSeq: false }),
    )
    .join('---\n')
}

function workloadOf(fields: WorkloadFields): unknown {
  const { kind: path, name, namespace, image, replicas, port, schedule, command } = fields
  const { kind, apiVersion } = workloadKinds[path]
  const labels = { 'app.kubernetes.io/name': name }
  const pod = {
    ...((path === 'jobs' || path === 'cronjobs') && { restartPolicy: 'OnFailure' }),
    containers: [
      {
        name,
        image: image.trim(),
        ...(command.trim() !== '' && { command: ['sh', '-c', command.trim()] }),
        ...(port !== undefined && { ports: [{ containerPort: port }] }),
      },
    ],
  }
  const head = { apiVersion, kind, metadata: { name, namespace, labels } }
  if (path === 'jobs') return { ...head, spec: { template: { spec: pod } } }
  if (path === 'cronjobs')
    return {
      ...head,
      spec: { schedule: schedule.trim(), jobTemplate: { spec: { template: { spec: pod } } } },
    }
  return {
    ...head,
    spec: {
      ...(hasReplicas(path) && { replicas }),
      ...(path === 'statefulsets' && { serviceName: name }),
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: pod },
    },
  }
}

function policyOf({ kind: path, name, namespace, clusters, isDivided }: WorkloadFields): unknown {
  const { kind, apiVersion } = workloadKinds[path]
  return {
    apiVersion: 'policy.karmada.io/v1alpha1',
    kind: 'PropagationPolicy',
    metadata: { name: `${name}-${kind.toLowerCase()}`, namespace },
    spec: {
      resourceSelectors: [{ apiVersion, kind, name }],
      placement: {
        ...(clusters.length > 0 && { clusterAffinity: { clusterNames: [...clusters] } }),
        ...(hasReplicas(path) &&
          isDivided && {
            replicaScheduling: {
              replicaSchedulingType: 'Divided',
              replicaDivisionPreference: 'Weighted',
              weightPreference: { dynamicWeight: 'AvailableReplicas' },
            },
          }),
      },
    },
  }
}
