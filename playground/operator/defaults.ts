import { KARMADA_RELEASE } from '../karmada/release.js'
import type { Component, KarmadaSpec } from './karmada-resource.js'

const KUBERNETES_RELEASE = 'v1.34.2'

const kubernetes = (image: string): Component => ({
  imageRepository: `registry.k8s.io/${image}`,
  imageTag: KUBERNETES_RELEASE,
  replicas: 1,
})
const karmada = (image: string, replicas = 1): Component => ({
  imageRepository: `docker.io/karmada/${image}`,
  imageTag: KARMADA_RELEASE,
  replicas,
})

/** Components karmada-operator installs by default. Search and descheduler come only when requested. */
const components: Readonly<Record<string, Component>> = {
  karmadaAPIServer: { ...kubernetes('kube-apiserver'), serviceType: 'ClusterIP' },
  karmadaAggregatedAPIServer: karmada('karmada-aggregated-apiserver'),
  kubeControllerManager: kubernetes('kube-controller-manager'),
  karmadaControllerManager: karmada('karmada-controller-manager'),
  karmadaScheduler: karmada('karmada-scheduler'),
  karmadaWebhook: karmada('karmada-webhook'),
  karmadaMetricsAdapter: karmada('karmada-metrics-adapter', 2),
}

/** The spec with what karmada-operator writes into it before it starts. */
export function withDefaults(spec: KarmadaSpec = {}): KarmadaSpec {
  const given = spec.components ?? {}
  const defaulted = Object.fromEntries(
    Object.entries(components).map(([name, component]) => [name, { ...component, ...given[name] }]),
  )
  const etcd = given.etcd ?? { local: { imageRepository: 'registry.k8s.io/etcd', replicas: 1 } }
  const networking = { dnsDomain: 'cluster.local' }
  return {
    ...spec,
    hostCluster: { networking, ...spec.hostCluster } as NonNullable<KarmadaSpec['hostCluster']>,
    components: { ...given, ...defaulted, etcd },
  }
}
