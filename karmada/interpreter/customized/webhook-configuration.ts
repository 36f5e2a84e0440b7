import type { KubeObject } from '../../../manifests/kube.js'
import type { Operation } from './customization.js'

/** Resource type of interpreter webhooks. */
export const WEBHOOK_CONFIGURATIONS = {
  group: 'config.karmada.io',
  version: 'v1alpha1',
  resource: 'resourceinterpreterwebhookconfigurations',
} as const

/** config.karmada.io ResourceInterpreterWebhook. */
export interface InterpreterWebhook {
  readonly name: string
  readonly rules?: readonly {
    readonly operations: readonly string[]
    readonly apiGroups: readonly string[]
    readonly apiVersions: readonly string[]
    readonly kinds: readonly string[]
  }[]
  readonly clientConfig: {
    readonly url?: string
    readonly service?: {
      readonly namespace: string
      readonly name: string
      readonly port?: number
      readonly path?: string
    }
    /** PEM in base64. */
    readonly caBundle?: string
  }
  readonly timeoutSeconds?: number
  readonly interpreterContextVersions: readonly string[]
}

/** config.karmada.io ResourceInterpreterWebhookConfiguration. */
export interface WebhookConfiguration extends KubeObject {
  readonly webhooks: readonly InterpreterWebhook[]
}

/** A webhook that interprets a kind. */
export interface Hook extends InterpreterWebhook {
  /** `configuration/webhook`. */
  readonly id: string
}

const includes = (list: readonly string[], wanted: string): boolean =>
  list.includes('*') || list.includes(wanted)

/** The webhook for an operation of a kind: the first by the names of configuration and webhook. */
export function hookFor(
  configurations: readonly WebhookConfiguration[],
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  operation: Operation,
): Hook | undefined {
  const [version = '', group = ''] = apiVersion.split('/').reverse()
  return configurations
    .flatMap(({ metadata, webhooks }) =>
      webhooks.map(one => ({ ...one, id: `${metadata.name}/${one.name}` })),
    )
    .filter(({ rules = [] }) =>
      rules.some(
        rule =>
          includes(rule.operations, operation) &&
          includes(rule.apiGroups, group) &&
          includes(rule.apiVersions, version) &&
          includes(rule.kinds, kind),
      ),
    )
    .sort((a, b) => (a.id < b.id ? -1 : 1))[0]
}
