import { chmodSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { stringify } from 'yaml'
import { ApiClient } from './api-client.js'
import { moduleFolder, programPath } from './build.js'
import { type ControlPlane, startControlPlane } from './kube-control-plane.js'
import { freePort } from './ports.js'
import { eventually } from './probe.js'
import { sourceFolder } from './repository.js'
import type { Site } from './site.js'

const controllers = [
  'namespace-controller',
  'garbage-collector-controller',
  'serviceaccount-controller',
  'serviceaccount-token-controller',
  'root-ca-certificate-publisher-controller',
  'deployment-controller',
  'replicaset-controller',
  'statefulset-controller',
  'daemonset-controller',
  'job-controller',
  'cronjob-controller',
  'ttl-after-finished-controller',
  'endpointslice-controller',
  'node-lifecycle-controller',
  'pod-garbage-collector-controller',
  'horizontal-pod-autoscaler-controller',
  'resourcequota-controller',
  'clusterrole-aggregation-controller',
]

/** What every container has written, in the container runtime's log format. */
const containerLog = ['a first line', 'a second line']
  .map(line => `2026-01-01T00:00:00.000000000Z stdout F ${line}\n`)
  .join('')

/** Nodes of a member cluster: how many, and what each can hold. */
export interface NodeShape {
  readonly count: number
  readonly cpu: string
  readonly memory: string
  readonly pods: string
}

/** Starts a member cluster whose nodes and pods KWOK plays; its kubelet server answers logs, exec and port-forward. */
export async function startMember(
  site: Site,
  name: string,
  etcd: string,
  nodes: NodeShape,
): Promise<ControlPlane> {
  const plane = await startControlPlane(site, { name, etcd, controllers })
  await Promise.all([startScheduler(site, plane), startKwok(site, plane)])
  await Promise.all(
    Array.from({ length: nodes.count }, (_, index) =>
      createNode(plane.client, `${name}-node-${index + 1}`, nodes),
    ),
  )
  await eventually(
    async () =>
      (await plane.client.send('GET', '/api/v1/namespaces/default/serviceaccounts/default')).status === 200,
    `${name}: default service account`,
  )
  return plane
}

async function createNode(client: ApiClient, name: string, { cpu, memory, pods }: NodeShape): Promise<void> {
  const capacity = { cpu, memory, pods }
  // KWOK 0.8.0 sets an InternalIP alone, and takes it away for ten minutes when a node has to become Ready again.
  const addresses = ['InternalIP', 'Hostname'].map(type => ({ type, address: '127.0.0.1' }))
  // Status and all, as a kubelet creates its node: one without gets a thousand cores of KWOK, which may come after ours.
  await client.must('POST', '/api/v1/nodes', {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: { type: 'kwok', 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux' },
      annotations: { 'kwok.x-k8s.io/node': 'fake', 'node.alpha.kubernetes.io/ttl': '0' },
    },
    status: { addresses, allocatable: capacity, capacity },
  })
  await eventually(async () => {
    const node = await client.must<{ status: { conditions?: { type: string; status: string }[] } }>(
      'GET',
      `/api/v1/nodes/${name}`,
    )
    return node.status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false
  }, `node ${name} ready`)
}

async function startScheduler(site: Site, plane: ControlPlane): Promise<void> {
  const port = await freePort()
  const serving = await plane.servingFiles('kube-scheduler', [])
  const health = new ApiClient({ ...plane.administrator, url: `https://127.0.0.1:${port}` })
  await site.run({
    name: `${plane.name}-kube-scheduler`,
    command: programPath('kube-scheduler'),
    args: [
      `--kubeconfig=${plane.kubeconfig}`,
      `--authentication-kubeconfig=${plane.kubeconfig}`,
      `--authorization-kubeconfig=${plane.kubeconfig}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
      `--tls-cert-file=${serving.certificate}`,
      `--tls-private-key-file=${serving.key}`,
      '--leader-elect=false',
    ],
    isReady: () => health.answers('/healthz'),
  })
}

async function startKwok(site: Site, plane: ControlPlane): Promise<void> {
  const port = await freePort()
  const serving = await plane.servingFiles('kwok', [])
  const health = new ApiClient({ ...plane.administrator, url: `https://127.0.0.1:${port}` })
  await site.run({
    name: `${plane.name}-kwok`,
    command: programPath('kwok'),
    env: { PATH: `${containerPrograms(site)}:${process.env.PATH ?? ''}` },
    args: [
      `--kubeconfig=${plane.kubeconfig}`,
      `--config=${kwokConfiguration(site, plane)}`,
      '--manage-all-nodes=true',
      '--node-ip=127.0.0.1',
      `--node-port=${port}`,
      `--server-address=127.0.0.1:${port}`,
      '--cidr=10.0.0.1/16',
      '--node-lease-duration-seconds=40',
      `--tls-cert-file=${serving.certificate}`,
      `--tls-private-key-file=${serving.key}`,
    ],
    isReady: () => health.answers('/healthz'),
  })
}

/** Programs that containers find before those of the machine. */
function containerPrograms(site: Site): string {
  const program = join(sourceFolder, 'container-tar.mjs')
  const tar = site.file('container-programs/tar', `#!/bin/sh\nexec ${process.execPath} ${program} "$@"\n`)
  chmodSync(tar, 0o755)
  return dirname(tar)
}

/** KWOK's own stages for nodes and pods, and what every container answers to logs, exec, attach and port-forward. */
function kwokConfiguration(site: Site, { name }: ControlPlane): string {
  const stages = join(moduleFolder('kwok', 'sigs.k8s.io/kwok'), 'kustomize/stage')
  const shipped = [
    'node/fast/node-initialize.yaml',
    'node/heartbeat-with-lease/node-heartbeat-with-lease.yaml',
    'pod/fast/pod-ready.yaml',
    'pod/fast/pod-complete.yaml',
    'pod/fast/pod-delete.yaml',
  ].map(file => readFileSync(join(stages, file), 'utf8'))
  const logsFile = site.file(`${name}/container.log`, containerLog)
  const answers = [
    { kind: 'ClusterLogs', spec: { logs: [{ logsFile, follow: true }] } },
    { kind: 'ClusterExec', spec: { execs: [{ local: { workDir: site.folder } }] } },
    { kind: 'ClusterAttach', spec: { attaches: [{ logsFile }] } },
    { kind: 'ClusterPortForward', spec: { forwards: [{ command: ['/bin/cat'] }] } },
  ].map(({ kind, spec }) =>
    stringify({ apiVersion: 'kwok.x-k8s.io/v1alpha1', kind, metadata: { name: 'every-container' }, spec }),
  )
  return site.file(`${name}/kwok.yaml`, [...shipped, ...answers].join('\n---\n'))
}
