import { INSTANCES, type Instance } from '../../../manifests/instance.js'
import { installationNamespace, KARMADAS } from '../../../manifests/karmada.js'
import { resourcePath } from '../../../manifests/kube.js'
import { isNotFound } from '../../../manifests/status-error.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import type { InstanceService } from '../../../proto/gen/kairship/instance_pb.js'
import type { Call } from '../../call/call.js'
import { FIELD_MANAGER } from '../../call/write-query.js'
import { failedPrecondition, invalidFields } from '../../errors/failure.js'
import type { ServiceHandlers } from '../../operation/operation.js'
import { tried } from '../kind/dry-run.js'
import { formatSeconds, parseSeconds } from './go-duration.js'

/** Flags of karmada-controller-manager by the contract's field. */
const FAILOVER_FLAGS = {
  clusterMonitorPeriod: 'cluster-monitor-period',
  clusterStartupGracePeriod: 'cluster-startup-grace-period',
  clusterMonitorGracePeriod: 'cluster-monitor-grace-period',
  gracefulEvictionTimeout: 'graceful-eviction-timeout',
  clusterSuccessThreshold: 'cluster-success-threshold',
  clusterFailureThreshold: 'cluster-failure-threshold',
} as const

/** Flags of karmada-descheduler by the contract's field. */
const DESCHEDULER_FLAGS = {
  deschedulingInterval: 'descheduling-interval',
  unschedulableThreshold: 'unschedulable-threshold',
} as const

/** Karmada's flag without which, since v1.15, clusters tainted NoExecute are not evicted from. */
const EVICTION_FLAG = 'enable-no-execute-taint-eviction'

/** karmada-operator's own defaults. */
const DESCHEDULER_REPLICAS = 2
const METRICS_ADAPTER_REPLICAS = 2

type Settings = Pick<
  ServiceHandlers<typeof InstanceService>,
  | 'getInstanceFailover'
  | 'updateInstanceFailover'
  | 'getInstanceDescheduler'
  | 'updateInstanceDescheduler'
  | 'getInstanceMetricsAdapter'
  | 'updateInstanceMetricsAdapter'
>

/** The part of a component of a Karmada object that settings are kept in. */
interface Component {
  readonly replicas?: number
  readonly extraArgs?: Readonly<Record<string, string>>
  readonly featureGates?: Readonly<Record<string, boolean>>
}

/** The part of a Karmada object's spec that settings are kept in. */
interface KarmadaSpec {
  readonly featureGates?: Readonly<Record<string, boolean>>
  readonly components?: {
    readonly karmadaControllerManager?: Component | null
    readonly karmadaDescheduler?: Component | null
    readonly karmadaMetricsAdapter?: Component | null
  }
}

/** Of which instance a setting is changed, and whether it is only checked. */
interface Change {
  readonly instance: string
  readonly dryRun: boolean
}

/** How the handlers below read an Instance, and send a patch to it. */
interface Instances {
  /** @throws Failure NOT_FOUND */
  readonly read: (name: string, call: Call) => Promise<Instance>
  readonly patch: (name: string, call: Call, send: () => Promise<unknown>) => Promise<unknown>
}

/**
 * Failover, descheduler and metrics adapter: components of the Karmada object that karmada-operator installs from. What is
 * requested is written to the Instance's `spec.install.karmadaSpec`, from where the instance's actor carries it over; what
 * is read is that over what the Karmada object says.
 */
export function karmadaSettings(host: KubeApi, instances: Instances): Settings {
  const read = async (name: string, call: Call) => {
    const instance = await instances.read(name, call)
    return readKarmadaSpec(host, instance, call)
  }
  const change = async (request: Change, call: Call, components: object) =>
    writeComponents(host, instances, await instances.read(request.instance, call), components, request, call)

  return {
    async getInstanceFailover({ instance }, call) {
      const spec = await read(instance, call)
      const manager = spec.components?.karmadaControllerManager
      const enabled = manager?.featureGates?.Failover ?? spec.featureGates?.Failover ?? false
      return { enabled, timeout: timesOf(FAILOVER_FLAGS, manager) }
    },

    async updateInstanceFailover({ instance, enabled, timeout, dryRun }, call) {
      if (timeout?.failoverEvictionTimeout) {
        const description =
          'karmada-controller-manager has no such flag any more: leave it 0, and use gracefulEvictionTimeout'
        throw invalidFields([{ field: 'timeout.failoverEvictionTimeout', description }])
      }
      const found = await instances.read(instance, call)
      const eviction = needsEvictionFlag(found) ? { [EVICTION_FLAG]: enabled ? 'true' : null } : {}
      const extraArgs = { ...argumentsOf(FAILOVER_FLAGS, timeout), ...eviction }
      await writeComponents(
        host,
        instances,
        found,
        { karmadaControllerManager: { featureGates: { Failover: enabled }, extraArgs } },
        { dryRun },
        call,
      )
      return {}
    },

    async getInstanceDescheduler({ instance }, call) {
      const component = (await read(instance, call)).components?.karmadaDescheduler
      return { enabled: runs(component), timeout: timesOf(DESCHEDULER_FLAGS, component) }
    },

    async updateInstanceDescheduler(request, call) {
      const { enabled, timeout } = request
      const extraArgs = argumentsOf(DESCHEDULER_FLAGS, timeout)
      // karmada-operator does not take down a component that is no longer named: no replicas does what is meant.
      await change(request, call, {
        karmadaDescheduler: { replicas: enabled ? DESCHEDULER_REPLICAS : 0, extraArgs },
      })
      return {}
    },

    async getInstanceMetricsAdapter({ instance }, call) {
      const spec = await read(instance, call)
      // karmada-operator runs it by default.
      return { enabled: runs(spec.components?.karmadaMetricsAdapter ?? {}) }
    },

    async updateInstanceMetricsAdapter(request, call) {
      await change(request, call, {
        karmadaMetricsAdapter: { replicas: request.enabled ? METRICS_ADAPTER_REPLICAS : 0 },
      })
      return {}
    },
  }
}

const runs = (component: Component | null | undefined): boolean =>
  component !== undefined && component !== null && component.replicas !== 0

function installOf(instance: Instance): NonNullable<Instance['spec']['install']> {
  const { install } = instance.spec
  if (install) return install
  throw failedPrecondition(
    `instance ${instance.metadata.name} was adopted, not installed by Kairship: set the flags of its components where it was installed`,
    { reason: 'InstanceAdopted' },
  )
}

/** The requested spec over the installed one, which is empty until the Karmada object exists. */
async function readKarmadaSpec(host: KubeApi, instance: Instance, call: Call): Promise<KarmadaSpec> {
  const requested = installOf(instance).karmadaSpec ?? {}
  const { name } = instance.metadata
  try {
    const { spec } = await host.request<{ readonly spec?: object }>({
      method: 'GET',
      path: resourcePath(KARMADAS, { namespace: installationNamespace(instance), name }),
      signal: call.signal,
    })
    return overlay(spec ?? {}, requested)
  } catch (error) {
    if (!isNotFound(error)) throw error
    return requested
  }
}

/** `upper` over `lower`, member by member. */
function overlay(lower: object, upper: object): object {
  const result: Record<string, unknown> = { ...lower }
  for (const [key, value] of Object.entries(upper)) {
    const below = result[key]
    result[key] = isObject(below) && isObject(value) ? overlay(below, value) : value
  }
  return result
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A merge patch holds only the changes, null removes: it may be repeated, and it keeps other writers' changes. */
async function writeComponents(
  host: KubeApi,
  { patch }: Instances,
  instance: Instance,
  components: object,
  { dryRun }: Pick<Change, 'dryRun'>,
  call: Call,
): Promise<void> {
  installOf(instance)
  const { name } = instance.metadata
  const send = () =>
    host.request({
      method: 'PATCH',
      contentType: 'application/merge-patch+json',
      path: resourcePath(INSTANCES, { name }),
      query: { fieldManager: FIELD_MANAGER, ...(dryRun && { dryRun: 'All' }) },
      body: { spec: { install: { karmadaSpec: { components } } } },
      signal: call.signal,
    })
  // What is only checked is no write that a later read has to wait for.
  await (dryRun ? tried(send()) : patch(name, call, send))
}

/** Seconds of each field from the component's flags; 0 where a flag is not set or not a duration. */
function timesOf<F extends Readonly<Record<string, string>>>(
  flags: F,
  component: Component | null | undefined,
): Record<keyof F, bigint> {
  return Object.fromEntries(
    Object.entries(flags).map(([field, flag]) => [field, parseSeconds(component?.extraArgs?.[flag] ?? '')]),
  ) as Record<keyof F, bigint>
}

/** Flags to set; null takes a flag away again. No `timeout` at all changes none. */
function argumentsOf<F extends Readonly<Record<string, string>>>(
  flags: F,
  timeout: { readonly [K in keyof F]: bigint } | undefined,
): Record<string, string | null> {
  if (!timeout) return {}
  const negative = Object.keys(flags).filter(field => (timeout[field] ?? 0n) < 0n)
  if (negative.length > 0) {
    throw invalidFields(negative.map(field => ({ field: `timeout.${field}`, description: 'is negative' })))
  }
  return Object.fromEntries(
    Object.entries(flags).map(([field, flag]) => {
      const seconds = timeout[field] ?? 0n
      return [flag, seconds === 0n ? null : formatSeconds(seconds)]
    }),
  )
}

/** Older versions refuse to start with a flag they do not know, so an unknown version gets none. */
function needsEvictionFlag({ status }: Instance): boolean {
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(status?.karmadaVersion ?? '') ?? []
  return Number(major) > 1 || (Number(major) === 1 && Number(minor) >= 15)
}
