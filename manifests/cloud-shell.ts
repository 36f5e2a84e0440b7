import type { KubeObject } from './kube.js'

/** `cloudshells.cloudshell.cloudtty.io/v1alpha1` of CloudTTY (v0.6 and later), namespaced. */
export const CLOUD_SHELLS = {
  group: 'cloudshell.cloudtty.io',
  version: 'v1alpha1',
  resource: 'cloudshells',
} as const

/** Where Kairship's CloudShells are, with their Secrets; nothing else is there, and no account of Kairship's. */
export const CLOUD_SHELL_NAMESPACE = 'kairship-cloudshells'

/** The key of a kubeconfig in the Secret of a CloudShell, as CloudTTY reads it. */
export const CLOUD_SHELL_KUBECONFIG = 'config'

/** A terminal that CloudTTY runs; only the fields that Kairship uses. */
export interface CloudShellObject extends KubeObject {
  readonly apiVersion: 'cloudshell.cloudtty.io/v1alpha1'
  readonly kind: 'CloudShell'
  readonly spec: {
    /** A Secret of the same namespace. */
    readonly secretRef?: { readonly name: string }
    readonly commandAction?: string
    readonly once?: boolean
    readonly ttlSecondsAfterStarted?: number
    readonly cleanup?: boolean
  }
  readonly status?: { readonly phase?: string; readonly accessUrl?: string }
}
