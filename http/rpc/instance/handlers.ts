import { INSTANCES, type Instance } from '../../../manifests/instance.js'
import { resourcePath } from '../../../manifests/kube.js'
import type { Fleet } from '../../../ports/fleet.js'
import type { KubeApi, KubeConnector } from '../../../ports/kube-api.js'
import type { InstanceService } from '../../../proto/gen/kairship/instance_pb.js'
import { WRITE_QUERY } from '../../call/write-query.js'
import { permissionDenied } from '../../errors/failure.js'
import type { Authorizer } from '../../identity/authorize.js'
import type { InstanceTokens } from '../../identity/instance-tokens/instance-tokens.js'
import type { InstanceFeed } from '../../instances/instance-feed.js'
import type { InstanceReading } from '../../instances/instance-reading.js'
import type { OwnWrites } from '../../instances/own-writes.js'
import type { OwnRequests } from '../../objects/requests/own-requests.js'
import type { ServiceHandlers } from '../../operation/operation.js'
import { inField } from '../kind/in-field.js'
import { PageTokens } from '../kind/page-token.js'
import { checkCreation } from './checks/creation.js'
import { issueKubeconfig } from './issued-kubeconfig.js'
import { karmadaSettings } from './karmada-settings.js'
import { listPage } from './list.js'
import { manifestOf, replacementOf } from './manifest.js'
import { messageOf, messageOfObject, messageOfView, plainJson, transitionOf } from './message.js'
import { type ProxyAddress, proxyKubeconfig } from './proxy-kubeconfig.js'
import { replaceInstance } from './replace.js'
import { scopeOf } from './scope.js'
import { seenBy } from './seen-by.js'
import { watchInstances } from './watch.js'

/** What the handlers of the Instance service depend on. */
export interface InstanceDependencies {
  readonly fleet: Fleet
  readonly feed: InstanceFeed
  readonly instances: InstanceReading
  readonly ownWrites: OwnWrites
  readonly ownRequests: OwnRequests
  /** The host cluster under Kairship's own credential. */
  readonly host: KubeApi
  /** Connects to control planes that are to be adopted. */
  readonly connector: KubeConnector
  readonly authorizer: Authorizer
  /** The Karmada version that is installed by default, e.g. `v1.18.2`. */
  readonly karmadaVersion: string
  /** Where callers reach the proxy. */
  readonly proxy: () => ProxyAddress
  readonly instanceTokens: Pick<InstanceTokens, 'issue'>
}

/** The Instance service: reads from actor snapshots, writes to CRs on the host. No caller reads a state older than its own writes. */
export function instanceHandlers(
  dependencies: InstanceDependencies,
): ServiceHandlers<typeof InstanceService> {
  const { fleet, feed, host, instances, ownWrites, ownRequests, karmadaVersion } = dependencies
  return {
    async listInstances(request, call) {
      const tokens = new PageTokens(request, call)
      const seen = await seenBy(call, await instances.all(call))
      const page = listPage(seen, { ...request, ...tokens.request })
      return { items: page.items.map(messageOf), pagination: tokens.pagination(page) }
    },

    async createInstance(request, call) {
      const body = manifestOf(request)
      const send = () =>
        host.request<Instance>({
          method: 'POST',
          path: resourcePath(INSTANCES),
          query: { ...WRITE_QUERY, ...(request.dryRun && { dryRun: 'All' }) },
          body,
          signal: call.signal,
        })
      if (request.dryRun) {
        const accepted = await inField('data', send())
        const status = await checkCreation(dependencies, call, accepted)
        return messageOfObject({ ...accepted, ...(status && { status }) })
      }
      const created = await inField('data', ownWrites.write('create', body.metadata.name, call, send))
      return messageOfObject(created)
    },

    getInstanceKarmadaConfig: () => ({ version: karmadaVersion }),

    async getInstance({ name }, call) {
      return messageOf(await instances.one(name, call))
    },

    async updateInstance({ name, data }, call) {
      const stored = await replaceInstance(
        { host, instances, ownWrites },
        call,
        name,
        replacementOf(name, data),
      )
      return { data: JSON.stringify(stored) }
    },

    async deleteInstance({ name }, call) {
      const send = () =>
        host.request({ method: 'DELETE', path: resourcePath(INSTANCES, { name }), signal: call.signal })
      await ownWrites.write('delete', name, call, send)
      return {}
    },

    async getInstanceJSON({ name }, call) {
      return { data: JSON.stringify(await instances.onHost(name, call)) }
    },

    async getInstanceKubeConfig({ instance }, call) {
      await instances.one(instance, call)
      return { instance, kubeConfigString: proxyKubeconfig(instance, dependencies.proxy()) }
    },

    async createInstanceToken({ instance, expirationSeconds }, call) {
      // Where a script of the page could send it to somebody, who would be its user for an hour.
      if (call.bySession)
        throw permissionDenied(
          'a session of the console makes no tokens: use `kairship kubeconfig --short-lived`, or your own token',
        )
      const { name, instance: object } = await instances.view(instance, call)
      const { uid = '' } = object.metadata
      const issued = await dependencies.instanceTokens.issue(call.caller, { name, uid }, expirationSeconds)
      return {
        instance: name,
        token: issued.token,
        tokenId: issued.id,
        expirationTimestamp: new Date(issued.expiresAt).toISOString(),
        kubeConfigString: proxyKubeconfig(name, dependencies.proxy(), issued.token),
      }
    },

    async createInstanceAdminKubeConfig({ instance, expirationSeconds }, call) {
      const { name } = await instances.view(instance, call)
      return issueKubeconfig(ownRequests, name, { scope: 'cluster-admin', expirationSeconds }, call)
    },

    async createInstanceScopedKubeConfig({ instance, expirationSeconds, ...request }, call) {
      const scope = scopeOf(request)
      const { name } = await instances.view(instance, call)
      return issueKubeconfig(ownRequests, name, { scope, expirationSeconds }, call)
    },

    ...karmadaSettings(host, {
      read: (name, call) => instances.onHost(name, call),
      patch: (name, call, send) => ownWrites.write('patch', name, call, send),
    }),

    async watchInstances(request, call) {
      await instances.upToDate(call)
      await feed.settled()
      return watchInstances(feed, request, call)
    },

    async explainInstance({ name }, call) {
      const { view, configuration, pending, transitions, leading } = await instances.explanation(name, call)
      return {
        instance: messageOfView(view),
        configuration: [...configuration],
        pending: [...pending],
        transitions: transitions.map(transitionOf),
        leading,
        leader: fleet.leadership().holder ?? '',
      }
    },

    async listInstanceTransitions({ name }, call) {
      const { transitions } = await instances.explanation(name, call)
      return { items: transitions.map(transitionOf) }
    },

    getInstanceChart: () => ({ chart: plainJson(fleet.chart()) }),

    async inspectInstance({ name }, call) {
      await instances.view(name, call)
      return inspect(fleet, name, call.signal)
    },
  }
}

async function* inspect(fleet: Fleet, name: string, signal: AbortSignal) {
  for await (const { time, instance, kind, record } of fleet.inspect(name, { signal })) {
    yield { time, instance, kind, record: plainJson(record) }
  }
}
