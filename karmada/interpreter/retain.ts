import { type Container, type PodSpec, type Resource, typeOf } from './workload.js'

/** With this label on a template, the replicas of its Deployment in a member are the member's own affair. */
export const RETAIN_REPLICAS = { label: 'resourcetemplate.karmada.io/retain-replicas', value: 'true' }

type Retain = (desired: Resource, observed: Resource) => Resource

const rules: Readonly<Record<string, Retain>> = {
  'apps/v1 Deployment': (desired, observed) => {
    if (desired.metadata.labels?.[RETAIN_REPLICAS.label] !== RETAIN_REPLICAS.value) return desired
    const replicas = observed.spec?.replicas
    if (replicas === undefined)
      throw new RetainError('the member’s Deployment does not say how many replicas it has')
    return withSpec(desired, { replicas })
  },
  'v1 Pod': (desired, observed) => {
    const [wanted, is] = [(desired.spec ?? {}) as PodSpec, (observed.spec ?? {}) as PodSpec]
    const { nodeName, serviceAccountName, volumes } = is
    const { nodeName: _, serviceAccountName: __, volumes: ___, ...rest } = wanted
    return {
      ...desired,
      spec: {
        ...rest,
        ...present({ nodeName, serviceAccountName, volumes }),
        ...present({
          containers: withMounts(wanted.containers, is.containers),
          initContainers: withMounts(wanted.initContainers, is.initContainers),
        }),
      },
    }
  },
  'v1 Service': (desired, { spec: { healthCheckNodePort, clusterIP } = {} }) =>
    withSpec(desired, {
      ...(typeof healthCheckNodePort === 'number' && healthCheckNodePort > 0 && { healthCheckNodePort }),
      ...(clusterIP !== undefined && clusterIP !== '' && { clusterIP }),
    }),
  'v1 ServiceAccount': (desired, observed) => ({
    ...desired,
    secrets: mergedByName(desired, observed, 'secrets'),
    imagePullSecrets: mergedByName(desired, observed, 'imagePullSecrets'),
  }),
  'v1 PersistentVolumeClaim': (desired, { spec: { volumeName } = {} }) =>
    volumeName ? withSpec(desired, { volumeName }) : desired,
  'v1 PersistentVolume': (desired, { spec: { claimRef } = {} }) =>
    claimRef === undefined ? desired : withSpec(desired, { claimRef }),
  'batch/v1 Job': (desired, observed) => {
    const is = (observed.spec ?? {}) as JobSpec
    const wanted = (desired.spec ?? {}) as JobSpec
    const { matchLabels } = is.selector ?? {}
    const { labels } = is.template?.metadata ?? {}
    return withSpec(desired, {
      ...(matchLabels && { selector: { ...wanted.selector, matchLabels } }),
      ...(labels && {
        template: { ...wanted.template, metadata: { ...wanted.template?.metadata, labels } },
      }),
    })
  },
  'v1 Secret': (desired, observed) => {
    const { type } = desired as { readonly type?: string }
    const { data } = observed as { readonly data?: unknown }
    const isToken = type === 'kubernetes.io/service-account-token'
    return isToken && data !== undefined ? ({ ...desired, data } as Resource) : desired
  },
}

interface JobSpec {
  readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> }
  readonly template?: { readonly metadata?: { readonly labels?: Readonly<Record<string, string>> } }
}

/** A member's object lacks what must be kept of it. */
export class RetainError extends Error {
  override readonly name = 'RetainError'
}

/**
 * The object that is written over a member's: as the template wants it, but for the fields that members fill in themselves
 * (`Retain`).
 * @throws RetainError when the member's object lacks what must be kept
 */
export function retained(desired: Resource, observed: Resource): Resource {
  return rules[typeOf(desired)]?.(desired, observed) ?? desired
}

const withSpec = (resource: Resource, fields: Readonly<Record<string, unknown>>): Resource => ({
  ...resource,
  spec: { ...resource.spec, ...fields },
})

const present = (fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

/** Admission in the member mounts the account's token. */
const withMounts = (
  wanted: readonly Container[] | undefined,
  observed: readonly Container[] = [],
): readonly Container[] | undefined =>
  wanted?.map((container, at) => {
    const isFirst = wanted.findIndex(({ name }) => name === container.name) === at
    const is = observed.findLast(({ name }) => name === container.name)
    if (!isFirst || !is) return container
    const { volumeMounts: _, ...rest } = container
    return { ...rest, ...present({ volumeMounts: is.volumeMounts }) }
  })

/** The template's entries, and those that controllers in the member added. */
function mergedByName(desired: Resource, observed: Resource, field: string): readonly unknown[] | null {
  const entries = (resource: Resource) =>
    (resource as unknown as Readonly<Record<string, readonly { readonly name: string }[] | undefined>>)[
      field
    ] ?? []
  const merged = [...entries(desired)]
  for (const entry of entries(observed))
    if (!merged.some(({ name }) => name === entry.name)) merged.push(entry)
  // Karmada writes null where there is none.
  return merged.length > 0 ? merged : null
}
