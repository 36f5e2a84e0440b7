import { randomBytes } from 'node:crypto'
import type { MessageInitShape } from '@bufbuild/protobuf'
import {
  CLOUD_SHELL_KUBECONFIG,
  CLOUD_SHELL_NAMESPACE,
  CLOUD_SHELLS,
  type CloudShellObject,
} from '../../../manifests/cloud-shell.js'
import { type KubeObject, resourcePath } from '../../../manifests/kube.js'
import { INSTANCE_LABEL, labelsOf } from '../../../manifests/names.js'
import { isNotFound, StatusError } from '../../../manifests/status-error.js'
import type { KubeApi, KubeRequest } from '../../../ports/kube-api.js'
import type {
  CloudShellSchema,
  CloudShellService,
  CloudShellSpec,
} from '../../../proto/gen/kairship/cloudshell_pb.js'
import type { Call } from '../../call/call.js'
import { WRITE_QUERY } from '../../call/write-query.js'
import { type FieldViolation, failedPrecondition, invalidFields, notFound } from '../../errors/failure.js'
import { type Authorizer, requireRight } from '../../identity/authorize.js'
import type { InstanceReading } from '../../instances/instance-reading.js'
import type { OwnRequests } from '../../objects/requests/own-requests.js'
import type { ServiceHandlers } from '../../operation/operation.js'
import { Undo } from '../create/undo.js'
import { issueKubeconfig } from '../instance/issued-kubeconfig.js'
import { inField } from '../kind/in-field.js'
import { objectMeta } from '../kind/object-meta.js'

/** What the handlers of the CloudShell service depend on. */
export interface CloudShellDependencies {
  /** The host cluster under Kairship's own credential. */
  readonly host: Pick<KubeApi, 'request'>
  readonly instances: Pick<InstanceReading, 'view'>
  readonly ownRequests: OwnRequests
  readonly authorizer: Authorizer
}

/** The owner of the terminal. Its address opens it, so only the owner receives it. */
const ISSUED_TO = 'kairship.io/issued-to'
/** Seconds; the contract's default. */
const DEFAULT_TTL = 500
const LONGEST_TTL = 86_400
/** No token is issued for less. */
const SHORTEST_TOKEN = 600
const LONGEST_COMMAND = 4_096

/**
 * Terminals, each a CloudShell object on the host with an administrator's kubeconfig of one instance. A caller who starts one needs the
 * right to such a kubeconfig as well.
 */
export function cloudShellHandlers(
  dependencies: CloudShellDependencies,
): ServiceHandlers<typeof CloudShellService> {
  const { host, instances, ownRequests, authorizer } = dependencies
  const at = (name?: string) =>
    resourcePath(CLOUD_SHELLS, { namespace: CLOUD_SHELL_NAMESPACE, ...(name && { name }) })
  const create = (call: Call, body: CloudShellObject, dryRun: boolean): Promise<CloudShellObject> => {
    const query = { ...WRITE_QUERY, ...(dryRun && { dryRun: 'All' }) }
    return inField('data', send(host, { method: 'POST', path: at(), query, body, signal: call.signal }))
  }

  /** The caller's own terminal. @throws Failure NOT_FOUND also for a terminal of another user */
  const own = async (call: Call, instance: string, name: string): Promise<CloudShellObject> => {
    const none = () =>
      notFound(`you have no cloud shell ${name} for instance ${instance}`, { reason: 'NotFound' })
    try {
      const found = await send<CloudShellObject>(host, { method: 'GET', path: at(name), signal: call.signal })
      const { labels, annotations } = found.metadata
      if (labels?.[INSTANCE_LABEL] === instance && annotations?.[ISSUED_TO] === call.caller.user) return found
      throw none()
    } catch (error) {
      if (isNotFound(error)) throw none()
      throw error
    }
  }

  return {
    async createCloudShell({ instance, data }, call) {
      await requireRight(authorizer, call, {
        verb: 'create',
        resource: 'instances/kubeconfig',
        name: instance,
      })
      await instances.view(instance, call)
      const seconds = checkedTtl(data?.spec)
      const name =
        data?.metadata?.name ||
        `${instance.slice(0, 40).replace(/[^a-z0-9]+$/, '')}-${randomBytes(4).toString('hex')}`
      const shell = shellOf(name, instance, call.caller.user, data?.spec, seconds)
      await create(call, shell, true)
      const { kubeConfigString } = await issueKubeconfig(
        ownRequests,
        instance,
        { scope: 'cluster-admin', expirationSeconds: Math.max(seconds, SHORTEST_TOKEN) },
        call,
      )
      const undo = new Undo()
      try {
        const made = await undo.make(
          `CloudShell ${name}`,
          () => create(call, shell, false),
          async (signal, metadata) => {
            const uid = metadata?.uid
            const body = { apiVersion: 'v1', kind: 'DeleteOptions', ...(uid && { preconditions: { uid } }) }
            await send(host, { method: 'DELETE', path: at(name), body, signal })
          },
        )
        const path = resourcePath(
          { group: '', version: 'v1', resource: 'secrets' },
          { namespace: CLOUD_SHELL_NAMESPACE },
        )
        const body = secretOf(made ?? shell, kubeConfigString)
        await send(host, { method: 'POST', path, query: WRITE_QUERY, body, signal: call.signal })
        return messageOf(made ?? shell)
      } catch (error) {
        throw await undo.after(error, call)
      }
    },

    getCloudShell: async ({ instance, name }, call) => messageOf(await own(call, instance, name)),

    async deleteCloudShell({ instance, name }, call) {
      const { metadata } = await own(call, instance, name)
      const { uid } = metadata
      const body = { apiVersion: 'v1', kind: 'DeleteOptions', ...(uid && { preconditions: { uid } }) }
      await send(host, { method: 'DELETE', path: at(name), body, signal: call.signal })
      return {}
    },
  }
}

/** @throws Failure FAILED_PRECONDITION NoCloudShells where the host does not serve them */
async function send<T>(host: Pick<KubeApi, 'request'>, request: KubeRequest): Promise<T> {
  try {
    return await host.request<T>(request)
  } catch (error) {
    // A path that is not served has no Status.
    if (error instanceof StatusError && error.code === 404 && error.reason === '')
      throw failedPrecondition(
        'the host has no CloudShells: install CloudTTY (v0.6 or later) there, or use kubectl with a kubeconfig of the instance',
        { reason: 'NoCloudShells' },
      )
    throw error
  }
}

/** The life of a terminal in seconds. @throws Failure INVALID_ARGUMENT with all that is wrong */
function checkedTtl({
  ttl = 0,
  commandAction = '',
}: Partial<Pick<CloudShellSpec, 'ttl' | 'commandAction'>> = {}): number {
  const violations: FieldViolation[] = []
  if (ttl < 0 || ttl > LONGEST_TTL)
    violations.push({
      field: 'data.spec.ttl',
      description: `is ${ttl}: it must be 1 to ${LONGEST_TTL} seconds, or 0 for ${DEFAULT_TTL}`,
    })
  if (commandAction.length > LONGEST_COMMAND)
    violations.push({
      field: 'data.spec.commandAction',
      description: `is longer than ${LONGEST_COMMAND} characters`,
    })
  if (violations.length > 0) throw invalidFields(violations)
  return ttl || DEFAULT_TTL
}

const shellOf = (
  name: string,
  instance: string,
  user: string,
  spec: CloudShellSpec | undefined,
  seconds: number,
): CloudShellObject => ({
  apiVersion: 'cloudshell.cloudtty.io/v1alpha1',
  kind: 'CloudShell',
  metadata: {
    name,
    namespace: CLOUD_SHELL_NAMESPACE,
    labels: labelsOf(instance),
    annotations: { [ISSUED_TO]: user },
  },
  spec: {
    // Its name cannot be known before it is there: a terminal that is started while the Secret of another one of its name is
    // still being collected would have that one's rights.
    secretRef: { name: `${name}-${randomBytes(4).toString('hex')}` },
    commandAction: spec?.commandAction || 'bash',
    once: spec?.once ?? false,
    ttlSecondsAfterStarted: seconds,
    cleanup: spec?.cleanup ?? false,
  },
})

/** The kubeconfig of a terminal; it goes with the CloudShell. */
function secretOf(
  { apiVersion, kind, metadata, spec }: CloudShellObject,
  kubeconfig: string,
): KubeObject & object {
  const { name, namespace = '', labels = {}, uid = '' } = metadata
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: spec.secretRef?.name ?? '',
      namespace,
      labels,
      ownerReferences: [{ apiVersion, kind, name, uid }],
    },
    ...{ data: { [CLOUD_SHELL_KUBECONFIG]: Buffer.from(kubeconfig).toString('base64') } },
  }
}

function messageOf(shell: CloudShellObject): MessageInitShape<typeof CloudShellSchema> {
  const { commandAction = '', once = false, ttlSecondsAfterStarted = 0, cleanup = false } = shell.spec
  const { phase = '', accessUrl = '' } = shell.status ?? {}
  return {
    metadata: objectMeta(shell, { instance: '' }),
    spec: { commandAction, once, ttl: ttlSecondsAfterStarted, cleanup },
    status: { phase, accessUrl },
  }
}
