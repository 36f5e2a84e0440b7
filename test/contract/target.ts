import type { ApiDependencies } from '../../http/management-api.js'
import type { KubeApi } from '../../ports/kube-api.js'
import type { Direct } from './scenario.js'

/** What scenarios run against: an instance with one member, the host that Kairship knows it from, and its actors. */
export interface Target {
  readonly instance: string
  readonly member: string
  /** Bearer token of somebody who may do everything on the host, in the instance and in the member. */
  readonly token: string
  /** Administrators of the host, of the instance and of the member. */
  readonly host: Direct
  readonly karmada: Direct
  readonly inMember: Direct
  /** Text of an administrator's kubeconfig of a cluster that has joined nothing. */
  readonly kubeconfig: string
  /** What the management API is made of. */
  readonly api: Pick<ApiDependencies, 'fleet' | 'host'> &
    Partial<Pick<ApiDependencies, 'metrics' | 'registries'>>
  /** Where names begin that nobody else gives in these clusters. */
  readonly prefix: string
  /** How long a scenario waits for what takes a moment, milliseconds. */
  readonly patienceMs: number
  close(): Promise<void>
}

/** Requests of an administrator. */
export const directly =
  (api: Pick<KubeApi, 'request'>): Direct =>
  (method, path, body) =>
    api.request({
      method,
      path,
      ...(body !== undefined && { body }),
      ...(method === 'PATCH' && { contentType: 'application/merge-patch+json' as const }),
    })
