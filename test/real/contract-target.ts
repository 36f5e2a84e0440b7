import { randomBytes } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ControllerManager, startControllerManager } from '../../actors/controller-manager.js'
import { connectKube } from '../../actors/kube/connection.js'
import { kubeConnector } from '../../actors/kube/connector.js'
import { parseKubeconfig } from '../../actors/kube/kubeconfig.js'
import { defaults } from '../../config.js'
import { WORKSPACE_NAMES } from '../../playground/fleet/names.js'
import type { KubeApi } from '../../ports/kube-api.js'
import { openMetrics } from '../conformance/metrics/samples.js'
import type { Direct } from '../contract/scenario.js'
import type { Target } from '../contract/target.js'
import { readersOf, type ServiceReaders } from '../scenarios/support/service-doubles.js'
import { failed, silent, unmetered } from '../silent.js'
import { ApiClient, type ApiObject, kubeconfigText } from './api-client.js'
import { basicAuth, push, startRegistry, USER } from './docker-registry.js'
import { accountCredentials, adopt, installKairship } from './kairship.js'
import { startControlPlane } from './kube-control-plane.js'
import { installOperatorCrd } from './operator.js'
import { eventually } from './probe.js'
import { startPrometheus } from './prometheus.js'
import { becomesReady, discovered, nodesReady } from './proxy.js'
import { callerNamed, inside, letIn, tokenOf } from './robot.js'
import { Site } from './site.js'
import type { ProvidedStack } from './stack.js'

const [instance, member] = ['karmada-west', 'member-3']
const caller = callerNamed('contract')
const MERGE_PATCH = { 'content-type': 'application/merge-patch+json' }

/**
 * A real instance with a real member, indexed by Clusterpedia; Prometheus, an image registry, and a cluster that has joined
 * nothing. Kairship acts and answers in this process, under the accounts of its manifests.
 */
export async function startRealTarget(stack: ProvidedStack): Promise<Target> {
  const clients = [stack.host, stack.karmadas[instance]!, stack.members[member]!].map(
    credentials => new ApiClient(credentials),
  )
  const [host, karmada, memberClient] = clients as [ApiClient, ApiClient, ApiClient]
  const site = new Site(mkdtempSync(join(tmpdir(), 'kairship-contract-')))
  const prefix = `run-${randomBytes(3).toString('hex')}`
  await installOperatorCrd(host)
  await installKairship(host)
  const [services, kubeconfig] = await Promise.all([startServices(site), freshCluster(site, stack, prefix)])
  await offerWorkspaces(host)

  const managerHost = await connectAs(host, 'kairship-controller-manager')
  const apiHost = await connectAs(host, 'kairship-apiserver')
  const manager: ControllerManager = startControllerManager({
    failed,
    host: managerHost,
    connector: kubeConnector(),
    identity: 'contract',
    contend: true,
    config: defaults('controller-manager'),
    log: silent,
    meter: unmetered,
  })
  await discovered(karmada)
  await nodesReady(memberClient)
  await adopt(host, stack, instance)
  await becomesReady(host, instance)
  await letIn({ host, member: memberClient, instance, caller })
  await host.apply(administrator)
  await inside(karmada)
  await reachesMember(karmada)

  return {
    instance,
    member,
    token: await tokenOf(host, caller),
    host: directly(host),
    karmada: directly(karmada),
    inMember: directly(memberClient),
    kubeconfig,
    api: { fleet: manager.fleet, host: apiHost, ...services.options },
    prefix,
    patienceMs: 90_000,
    async close() {
      await removeInstalled(host, prefix)
      const path = `/apis/kairship.io/v1alpha1/instances/${instance}`
      await host.send('DELETE', path)
      await eventually(async () => (await host.send('GET', path)).status === 404, 'the instance gone')
      await host.send('DELETE', `/apis/${administrator.apiVersion}/clusterrolebindings/${ADMINISTRATOR}`)
      await manager.stop()
      for (const api of [managerHost, apiHost]) await api.close()
      await services.close()
      for (const client of clients) await client.close()
      await site.close()
    },
  }
}

/** What Debian's Prometheus and docker-registry have, and what reads them. */
async function startServices(site: Site): Promise<ServiceReaders> {
  const [prometheus, registry] = await Promise.all([
    startPrometheus(site, 'prometheus', openMetrics([instance])),
    startRegistry(site, 'registry', basicAuth(site, 'registry')),
  ])
  await push(
    registry,
    async () => `Basic ${Buffer.from(`${USER.username}:${USER.password}`).toString('base64')}`,
  )
  return readersOf(site.folder, { name: 'prometheus', ...prometheus }, { ...registry, ...USER })
}

/** The kubeconfig of a cluster of its own, without nodes. */
async function freshCluster(site: Site, { etcd }: ProvidedStack, name: string): Promise<string> {
  const controllers = [
    ...['namespace-controller', 'garbage-collector-controller'],
    ...['serviceaccount-controller', 'serviceaccount-token-controller'],
  ]
  const { administrator } = await startControlPlane(site, { name, etcd, controllers })
  return kubeconfigText(name, administrator)
}

/** No Global Management is part of the stack: what it writes is written here. */
async function offerWorkspaces(host: ApiClient): Promise<void> {
  for (const [index, name] of WORKSPACE_NAMES.entries())
    await host.apply({
      ...{ apiVersion: 'kairship.io/v1alpha1', kind: 'Workspace', metadata: { name } },
      spec: { id: index + 1 },
    })
}

const ADMINISTRATOR = 'contract-administrator'
/** On the host the caller may do everything, for as long as scenarios run. */
const administrator: ApiObject = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRoleBinding',
  metadata: { name: ADMINISTRATOR },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
  subjects: [{ kind: 'ServiceAccount', name: caller.name, namespace: 'default' }],
}

async function connectAs(host: ApiClient, account: string): Promise<KubeApi> {
  const text = kubeconfigText('host', await accountCredentials(host, account))
  return connectKube(parseKubeconfig(text, { local: true }))
}

/** Waits until Karmada lets the caller through to the member. */
async function reachesMember(karmada: ApiClient): Promise<void> {
  const path = `/apis/cluster.karmada.io/v1alpha1/clusters/${member}/proxy/api/v1/namespaces`
  const acting = { 'impersonate-user': caller.user, 'impersonate-group': [...caller.groups] }
  await eventually(
    async () => (await karmada.send('GET', path, undefined, acting)).status === 200,
    'the caller let in as far as the member',
  )
}

/** What Kairship retains of instances that it installed. karmada-operator, which does not run here, would come to it. */
async function removeInstalled(host: ApiClient, prefix: string): Promise<void> {
  const karmadas = '/apis/operator.karmada.io/v1alpha1'
  type List = { items: { metadata: { name: string; namespace: string } }[] }
  for (const { metadata } of (await host.must<List>('GET', `${karmadas}/karmadas`)).items)
    if (metadata.name.startsWith(prefix)) {
      await host.must('DELETE', `${karmadas}/namespaces/${metadata.namespace}/karmadas/${metadata.name}`)
      await host.must('DELETE', `/api/v1/namespaces/${metadata.namespace}`)
    }
}

const directly =
  (client: ApiClient): Direct =>
  (method, path, body) =>
    client.must(method, path, body, method === 'PATCH' ? MERGE_PATCH : {})
