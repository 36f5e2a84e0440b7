import { join } from 'node:path'
import { ApiClient, readManifests } from './api-client.js'
import { moduleFolder, programPath } from './build.js'
import { established } from './karmada.js'
import type { ControlPlane } from './kube-control-plane.js'
import { freePort } from './ports.js'
import { answersHttp } from './probe.js'
import type { Site } from './site.js'

/** What Karmada's end-to-end suite wants beside Karmada: an estimator for each member, and the webhook of its Workload type. */

/** The webhook that interprets the suite's Workload type. */
export const INTERPRETER_PROGRAM = 'karmada-interpreter-webhook-example'

/** A control plane, as far as this needs it. */
export type Examined = Pick<
  ControlPlane,
  'name' | 'ca' | 'administrator' | 'client' | 'kubeconfig' | 'servingFiles'
>

/** The programs that this needs, which nothing else does. */
export const EXAMINED_PROGRAMS = [
  'karmada-estimating-scheduler',
  'karmada-scheduler-estimator',
  INTERPRETER_PROGRAM,
]

/** The port that Karmada's scheduler asks an estimator's Service for. */
const SERVICE_PORT = 10352

/** Starts the estimator of a member, where the scheduler finds it once the member joins. */
export async function startEstimator(site: Site, karmada: ControlPlane, member: ControlPlane): Promise<void> {
  const name = `karmada-scheduler-estimator-${member.name}`
  const [port, health] = [await freePort(), await freePort()]
  const serving = await karmada.servingFiles(name, [])
  await site.run({
    name: `${member.name}-estimator`,
    command: programPath('karmada-scheduler-estimator'),
    args: [
      `--kubeconfig=${member.kubeconfig}`,
      `--cluster-name=${member.name}`,
      `--server-port=${port}`,
      `--grpc-auth-cert-file=${serving.certificate}`,
      `--grpc-auth-key-file=${serving.key}`,
      '--insecure-skip-grpc-client-verify=true',
      '--metrics-bind-address=0',
      `--health-probe-bind-address=127.0.0.1:${health}`,
      '--feature-gates=AllAlpha=true,AllBeta=true',
    ],
    isReady: () => answersHttp(`http://127.0.0.1:${health}/healthz`),
  })
  await karmada.client.apply({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'karmada-system' },
    spec: {
      type: 'ExternalName',
      externalName: 'localhost',
      ports: [{ port: SERVICE_PORT, targetPort: port, protocol: 'TCP' }],
    },
  })
}

/** Starts the interpreter webhook of the suite's Workload type, and serves that type in Karmada and its members. */
export async function startInterpreter(
  site: Site,
  karmada: Examined,
  members: readonly Pick<ControlPlane, 'client'>[],
): Promise<void> {
  const example = join(
    moduleFolder('karmada', 'github.com/karmada-io/karmada'),
    'examples/customresourceinterpreter',
  )
  const [definition] = readManifests(join(example, 'apis/workload.example.io_workloads.yaml'))
  for (const { client } of [karmada, ...members]) {
    await client.apply(definition!)
    await established(client, definition!)
  }
  const url = await startWebhook(site, karmada)
  const caBundle = Buffer.from(karmada.ca.certificate).toString('base64')
  for (const configuration of readManifests(join(example, 'webhook-configuration.yaml'), { caBundle })) {
    type Webhook = { clientConfig: { url: string } }
    const webhooks = (configuration.webhooks as Webhook[]).map(webhook => ({
      ...webhook,
      clientConfig: { ...webhook.clientConfig, url: `${url}/interpreter-workload` },
    }))
    await karmada.client.apply({ ...configuration, webhooks })
  }
}

async function startWebhook(site: Site, karmada: Examined): Promise<string> {
  const name = INTERPRETER_PROGRAM
  const port = await freePort()
  const url = `https://127.0.0.1:${port}`
  const serving = await karmada.servingFiles(name, [])
  const client = new ApiClient({ ...karmada.administrator, url })
  await site.run({
    name: `${karmada.name}-interpreter-webhook`,
    command: programPath(name),
    args: [
      `--kubeconfig=${karmada.kubeconfig}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
      `--cert-dir=${serving.certificate.replace(/\/tls\.crt$/, '')}`,
    ],
    isReady: () => client.answers('/readyz/'),
  })
  return url
}
