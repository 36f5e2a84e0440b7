import { Document } from 'yaml'
import { type WorkloadKind, workloadKinds } from '../../kube/workload-kinds.js'

/** What the form of a new workload asks for. */
export interface Wishes {
  readonly kind: WorkloadKind
  readonly name: string
  readonly namespace: string
  readonly image: string
  readonly replicas: number
  /** Of the container; absent where it has none. */
  readonly port?: number
  /** Of a CronJob. */
  readonly schedule: string
  /** A line for a shell; empty for the image's own command. */
  readonly command: string
  /** Whether a policy is made with it: without one it goes nowhere, unless another policy selects it. */
  readonly withPolicy: boolean
  /** Empty means all, also those that join later. */
  readonly clusters: readonly string[]
  /** Replicas are divided among the clusters; else each has as many. */
  readonly isDivided: boolean
}

const NAME = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** What the form cannot go on with. */
export function mistakesOf({ kind, name, namespace, image, schedule }: Wishes) {
  return {
    name: !NAME.test(name),
    namespace: !NAME.test(namespace),
    image: image.trim() === '' || /\s/.test(image.trim()),
    schedule: kind === 'cronjobs' && schedule.trim().split(/\s+/).length !== 5,
  }
}

/** Whether a kind has replicas that a policy can divide. */
export const hasReplicas = (kind: WorkloadKind): boolean => kind === 'deployments' || kind === 'statefulsets'

/** The manifests of what is wished for, as a person would write them. */
export function sketchOf(wishes: Wishes): string {
  const documents = [workloadOf(wishes), ...(wishes.withPolicy ? [policyOf(wishes)] : [])]
  return documents
    .map(each =>
      new Document(each, { version: '1.1', aliasDuplicateObjects: false }).toString({ indentSeq: false }),
    )
    .join('---\n')
}

function workloadOf(wishes: Wishes): unknown {
  const { kind: path, name, namespace, image, replicas, port, schedule, command } = wishes
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

function policyOf({ kind: path, name, namespace, clusters, isDivided }: Wishes): unknown {
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
