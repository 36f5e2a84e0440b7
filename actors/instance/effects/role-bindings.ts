import { canonical } from '../../../machines/canonical.js'
import type { Failure } from '../../../machines/failure.js'
import type { Judgement } from '../../../machines/instance/requirements.js'
import type { RoleGrant } from '../../../manifests/effective-binding.js'
import { IMPERSONATOR, SERVICE_ACCOUNTS } from '../../../manifests/impersonator.js'
import {
  originLabel,
  type RbacObject,
  type RenderedRbac,
  renderRbac,
  withheldNamespaces,
  withholding,
} from '../../../manifests/instance-rbac.js'
import type { InstanceRoleBinding } from '../../../manifests/instance-role-binding.js'
import { ROLE_BINDING_LABEL } from '../../../manifests/names.js'
import { warningsOf } from '../../../manifests/wide-subjects.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import { removeCanary } from '../../index/index-canary.js'
import { removeWhole } from '../../kube/apply.js'
import { fail, failureOf } from '../../kube/failure.js'
import type { InstanceDependencies } from '../dependencies.js'
import type { Connected } from '../instance-connection.js'
import { EXPIRED, reportMaterialized } from './binding-status.js'
import { leaderEffect } from './leader-effect.js'
import { namespacesInside, needsListOf } from './namespaces-inside.js'
import {
  type FailedChange,
  identityOf,
  isSame,
  madeInsideSelector,
  oursInsideSelector,
  RbacInside,
  refersElsewhere,
  sentence,
} from './rbac-inside.js'

const stage = 'role bindings'

/** So many failures are named in one message; the others are counted. */
const NAMED_FAILURES = 3

/**
 * The role-bindings controller: makes the RBAC inside the instance what the bindings in effect say, directly and through workspaces, and nothing more.
 * Rights are taken away before any are given, so nothing that cannot be granted delays a revocation; and each object is
 * changed by itself, so none that cannot be changed delays another. Each binding's status says how it went with that one.
 */
export const materializeRoleBindings = (dependencies: InstanceDependencies) =>
  leaderEffect(
    dependencies,
    { name: 'materialize the role bindings', stage, inside: true },
    async ({ name }, signal) => {
      const api = apiOf(dependencies.connectionOf(name).current)
      const inside = new RbacInside(api, madeInsideSelector(name), signal)
      const bindings = dependencies.host.roleBindings.of(name)
      const before = await inside.list()
      const namespaces = await namespacesInside(api, inside, bindings, before)
      const wanted = renderRbac(name, bindings, namespaces)
      const present = new Map(before.map(object => [identityOf(object), object]))
      const settled = await revoke(inside, present, wanted)
      const differing = wanted.filter(({ object }) => {
        const before = present.get(identityOf(object))
        return !settled.has(identityOf(object)) && !(before && isSame(before, object))
      })
      await inside.each(
        differing.map(({ object }) => object),
        object => inside.apply(object),
      )
      const unreported: Failure[] = []
      const failures = failedByBinding(inside.failed, bindings, wanted)
      const isWithheld = withholding(bindings, namespaces)
      const outcomes = new Map<InstanceRoleBinding, Judgement>()
      for (const binding of bindings) {
        // One of a workspace is in effect on many instances; of each it is the instance that says how it went.
        if (binding.origin.kind !== 'InstanceRoleBinding') continue
        const failed = failures.get(binding.metadata.name) ?? []
        outcomes.set(
          binding.origin.object,
          outcomeOf(binding, failed, withheldNamespaces(binding, isWithheld)),
        )
      }
      for (const ended of dependencies.host.roleBindings.endedOf(name)) outcomes.set(ended, EXPIRED)
      for (const [binding, outcome] of outcomes) {
        try {
          await reportMaterialized(dependencies.host.api, binding, outcome, signal)
        } catch (error) {
          signal.throwIfAborted()
          const failure = failureOf(error, stage)
          unreported.push({
            ...failure,
            message: `status of InstanceRoleBinding ${binding.metadata.name}: ${failure.message}`,
          })
        }
      }
      failWith([...inside.failed.map(asFailure), ...unreported])
      return 'unwatched'
    },
  )

/**
 * Removes everything of ours inside that grants or is written: the RBAC, of issued kubeconfigs too, the account that impersonates, and
 * the canary of the index.
 */
export const removeRoleBindings = (dependencies: InstanceDependencies) =>
  leaderEffect(
    dependencies,
    { name: 'remove the role bindings', stage, inside: true },
    async ({ name, instance }, signal) => {
      // A control plane that was never reached holds nothing of ours, and there is no way in to look.
      const connected = dependencies.connectionOf(name).last
      if (!connected && !instance.status?.controlPlaneID) return 'gone'
      const api = apiOf(connected)
      const inside = new RbacInside(api, oursInsideSelector(name), signal)
      await inside.each(await inside.list(), object => inside.remove(object))
      await removeCanary(dependencies, api, name, signal)
      await removeWhole(api, SERVICE_ACCOUNTS, IMPERSONATOR, { instance: name, stage, signal })
      failWith(inside.failed.map(asFailure))
      // A request that was given up before may have been executed meanwhile.
      const [left] = await inside.list()
      failWith(inside.failed.map(asFailure))
      if (left) fail('StillThere', stage, `${left.kind} ${left.metadata.name} is inside again`)
      return 'gone'
    },
  )

function apiOf(connected: Connected | undefined): KubeApi {
  if (!connected) fail('Unreachable', stage, 'there is no connection to the control plane')
  return connected.api
}

/**
 * Takes away every right that no binding asks for: objects that are not wanted, bindings to another role (a roleRef is
 * immutable), and subjects and rules that are not wanted in an object that is.
 * @returns the identities of wanted objects that need no further change, or to which none is possible now
 */
async function revoke(
  inside: RbacInside,
  present: ReadonlyMap<string, RbacObject>,
  wanted: readonly RenderedRbac[],
): Promise<ReadonlySet<string>> {
  const wantedByIdentity = new Map(wanted.map(({ object }) => [identityOf(object), object]))
  const settled = new Set<string>()
  await inside.each([...present.values()], async before => {
    const identity = identityOf(before)
    const after = wantedByIdentity.get(identity)
    if (after && !refersElsewhere(before, after)) {
      if (!grantsLess(before, after)) return
      await inside.apply(after)
      settled.add(identity)
    } else if (!(await inside.remove(before))) settled.add(identity)
  })
  return settled
}

/** Whether a subject or a rule that is there is not wanted any more. */
function grantsLess(before: RbacObject, after: RbacObject): boolean {
  const partsOf = ({ subjects = [], rules = [] }: RbacObject) => [...subjects, ...rules].map(canonical)
  const left = new Set(partsOf(after))
  return partsOf(before).some(part => !left.has(part))
}

/**
 * The changes that failed, by the name of each binding that is not in effect because of them: those of objects that it needs, of
 * objects that grant what it said earlier, and lists without which neither is known. Each change is looked at once: where one
 * fails, thousands may.
 */
function failedByBinding(
  failed: readonly FailedChange[],
  bindings: readonly RoleGrant[],
  wanted: readonly RenderedRbac[],
): ReadonlyMap<string, readonly FailedChange[]> {
  const neededBy = new Map<FailedChange['object'], readonly string[]>(
    wanted.map(({ object, neededBy }) => [object, neededBy]),
  )
  const byLabel = new Map<string | undefined, string[]>()
  for (const { metadata } of bindings) appendTo(byLabel, originLabel(metadata.name), metadata.name)
  const byBinding = new Map<string, FailedChange[]>()
  for (const change of failed) {
    const { object } = change
    if (change.doing === 'list') {
      for (const binding of bindings)
        if (needsListOf(object.kind, binding)) appendTo(byBinding, binding.metadata.name, change)
      continue
    }
    const origin = object.metadata.labels?.[ROLE_BINDING_LABEL]
    const names = new Set([...(neededBy.get(object) ?? []), ...(byLabel.get(origin) ?? [])])
    for (const name of names) appendTo(byBinding, name, change)
  }
  return byBinding
}

function appendTo<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key)
  if (list) list.push(value)
  else lists.set(key, [value])
}

function outcomeOf(
  { spec: { role, subjects } }: RoleGrant,
  failed: readonly FailedChange[],
  withheld: readonly string[],
): Judgement {
  const [first] = failed
  if (!first && withheld.length > 0)
    return {
      status: 'False',
      reason: 'ReservedNamespace',
      message: `${role === 'Admin' ? 'no rights' : 'no rights on Secrets'} in ${withheld.join(', ')}: accounts with rights on the whole instance, or credentials of members, are kept there; bind the role in other namespaces`,
    }
  if (!first)
    return {
      status: 'True',
      reason: 'Materialized',
      message: ['the RBAC inside the instance is as this binding says', ...warningsOf(subjects)].join('; '),
    }
  return { status: 'False', reason: first.failure.reason, message: summaryOf(failed.map(asFailure)) }
}

const asFailure = (change: FailedChange): Failure => ({ ...change.failure, message: sentence(change) })

const summaryOf = (failures: readonly Failure[]): string => {
  const named = failures.slice(0, NAMED_FAILURES).map(({ message }) => message)
  const others = failures.length - named.length
  return [...named, ...(others > 0 ? [`and ${others} more`] : [])].join('; ')
}

/** Fails as the first one did, if any did. */
function failWith(failures: readonly Failure[]): void {
  const [first] = failures
  if (first) fail(first.reason, stage, summaryOf(failures))
}
