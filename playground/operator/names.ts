/**
 * karmada-operator's naming rule: `karmada` goes in between unless the instance's name has it already.
 * `demo` → `demo-karmada-apiserver`, `my-karmada` → `my-karmada-apiserver`.
 */
const componentName = (karmada: string, suffix: string): string =>
  karmada.includes('karmada') ? `${karmada}-${suffix}` : `${karmada}-karmada-${suffix}`

/** The Secret with the administrator's kubeconfig, and its key. */
export const adminConfigSecretName = (karmada: string): string => componentName(karmada, 'admin-config')
export const ADMIN_CONFIG_KEY = 'karmada.config'
/** The Service in front of the control plane's API server. */
export const apiServerName = (karmada: string): string => componentName(karmada, 'apiserver')
/** The Service in front of the aggregated API server: the longest name that the operator makes. */
export const aggregatedApiServerName = (karmada: string): string =>
  componentName(karmada, 'aggregated-apiserver')
/** What the Secret of an external etcd's client certificate must be called. */
export const etcdCertSecretName = (karmada: string): string => componentName(karmada, 'etcd-cert')
