import { filter, map, merge, Subscription } from 'rxjs'
import type { Judgement } from '../../machines/instance/requirements.js'
import type { AuditEvent } from '../../manifests/audit-event.js'
import type { StoredBinding } from '../../manifests/delivered-binding.js'
import { INSTANCE_ROLE_BINDINGS } from '../../manifests/instance-role-binding.js'
import { roleAuditEvent } from '../../manifests/role-audit-event.js'
import { endOf, isOver } from '../../manifests/role-end.js'
import { isConflict } from '../../manifests/status-error.js'
import { WORKSPACE_ROLE_BINDINGS } from '../../manifests/workspace-role-binding.js'
import type { InstanceDependencies } from '../instance/dependencies.js'
import { reportCondition } from '../instance/effects/binding-status.js'
import { remove } from '../kube/apply.js'
import { runLeaderWork } from './run-leader-work.js'

/** A binding that has ended stays for so long, milliseconds: its status says why nothing is in effect, and late deliveries find it. */
export const ENDED_STAYS_MS = 24 * 3_600_000
/** After a change, milliseconds: many come together. */
const QUIET_MS = 250
/** After a sweep that failed, and at most until the next look, milliseconds. */
const AGAIN_MS = 60_000

/** What the endings of roles are reported with. */
export interface RoleEndingsOptions {
  readonly dependencies: InstanceDependencies
  readonly audit: (event: AuditEvent) => void
  /** Milliseconds since 1970. */
  readonly now?: () => number
  readonly quietMs?: number
}

/**
 * Reports roles that have an end: an audit event and the condition `Expired` when one begins and when one ends, and removes it a day after
 * that. That a role changes, and what becomes of one without an end, it writes to the audit log as it sees it. Nothing here decides about a right: bindings that are over give none, whether or not this has run. The event comes before the
 * status, so that each is written once at least.
 */
export class RoleEndings {
  readonly #subscription = new Subscription()
  readonly #now: () => number
  #timer: NodeJS.Timeout | undefined
  #dueAt = Number.POSITIVE_INFINITY
  #sweeping = false

  constructor(private readonly options: RoleEndingsOptions) {
    this.#now = options.now ?? Date.now
  }

  start(): void {
    const { roleBindings } = this.options.dependencies.host
    const { bindings, workspaceRoleBindings } = roleBindings.sources
    const changes = merge(bindings.changes, workspaceRoleBindings.changes)
    this.#subscription.add(
      merge(
        // Whether any has an end is looked at in the sweep: for each change, it would be a walk over all of them.
        roleBindings.changed,
        roleBindings.contact,
        changes.pipe(
          filter(change => change.type !== 'SYNCED' && change.object.spec.expiresAt !== undefined),
          map(() => undefined),
        ),
      ).subscribe(() => this.look()),
    )
    this.#subscription.add(
      roleBindings.onEvent(({ what, binding, at }) => {
        // That one with an end begins and ends is reported with its status, so that it is reported once at least.
        const isWithStatus = what === 'began' || what === 'ended'
        if (!isWithStatus && this.options.dependencies.leadership().leading)
          this.options.audit(roleAuditEvent(binding, what, at))
      }),
    )
    this.#subscription.add(
      changes.subscribe(change => {
        if (change.type === 'DELETED') this.#deleted(change.object)
      }),
    )
  }

  stop(): void {
    this.#subscription.unsubscribe()
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  /** Sweeps soon, if this replica leads. */
  look(afterMs: number = this.options.quietMs ?? QUIET_MS): void {
    if (!this.options.dependencies.leadership().leading) return
    const at = performance.now() + afterMs
    if (this.#timer && this.#dueAt <= at) return
    clearTimeout(this.#timer)
    this.#dueAt = at
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#sweep().catch((err: unknown) => {
        this.options.dependencies.log.warn({ err }, 'roles that have an end could not be reported or removed')
        this.look(AGAIN_MS)
      })
    }, afterMs).unref()
  }

  /** Any binding that has an end. */
  get #first(): StoredBinding | undefined {
    for (const binding of this.#all()) return binding
    return undefined
  }

  *#all(): Generator<StoredBinding, void> {
    const { bindings, workspaceRoleBindings } = this.options.dependencies.host.roleBindings.sources
    for (const binding of bindings.values()) if (binding.spec.expiresAt !== undefined) yield binding
    for (const binding of workspaceRoleBindings.values())
      if (binding.spec.expiresAt !== undefined) yield binding
  }

  async #sweep(): Promise<void> {
    const { dependencies } = this.options
    if (this.#sweeping || !dependencies.leadership().leading || !dependencies.host.roleBindings.inContact)
      return
    this.#sweeping = true
    try {
      for (const binding of [...this.#all()]) {
        await this.#report(binding)
        await this.#removeOld(binding)
      }
    } finally {
      this.#sweeping = false
    }
    // The day of the first one ends some time; a look a minute costs a walk over what has an end.
    if (this.#first) this.look(AGAIN_MS)
  }

  async #report(binding: StoredBinding): Promise<void> {
    const { dependencies, audit } = this.options
    const before = expiredIn(binding)
    const now = this.#now()
    const wanted = judgement(binding, now)
    if (before?.status === wanted.status && before.message === wanted.message) return
    await this.#run(binding, async (_, signal) => {
      if (before?.status !== wanted.status)
        audit(roleAuditEvent(binding, wanted.status === 'True' ? 'ended' : 'began', now))
      await reportCondition(
        dependencies.host.api,
        resourceOf(binding),
        binding,
        { type: 'Expired', ...wanted },
        signal,
      )
      return 'reported'
    })
  }

  async #removeOld(binding: StoredBinding): Promise<void> {
    const end = endOf(binding)
    if (end === undefined || this.#now() - end < ENDED_STAYS_MS || binding.metadata.deletionTimestamp) return
    // The end of a binding whose time cannot be read is not known: it stays for people to see.
    if (end === Number.NEGATIVE_INFINITY) return
    const { dependencies } = this.options
    await this.#run(binding, async (_, signal) => {
      try {
        await remove(dependencies.host.api, resourceOf(binding), binding.metadata, signal)
      } catch (error) {
        // It was changed since it was seen: put off, perhaps. The watch shows it, and leads here again.
        if (!isConflict(error)) throw error
      }
      return 'gone'
    })
  }

  /** One that is deleted before its end has ended as well. */
  #deleted(binding: StoredBinding): void {
    const { dependencies, audit } = this.options
    if (binding.spec.expiresAt === undefined || isOver(binding, this.#now())) return
    if (expiredIn(binding)?.status !== 'False' || !dependencies.leadership().leading) return
    audit(roleAuditEvent(binding, 'ended', this.#now()))
  }

  #run(binding: StoredBinding, work: Parameters<typeof runLeaderWork>[2]): Promise<void> {
    const instance = 'instance' in binding.spec ? binding.spec.instance : ''
    return runLeaderWork(
      this.options.dependencies,
      { instance, effect: 'report the end of a role', stage: 'role bindings' },
      work,
    )
  }
}

const expiredIn = ({ status }: StoredBinding) => status?.conditions?.find(({ type }) => type === 'Expired')

const resourceOf = ({ kind }: StoredBinding) =>
  kind === 'WorkspaceRoleBinding' ? WORKSPACE_ROLE_BINDINGS : INSTANCE_ROLE_BINDINGS

const judgement = (binding: StoredBinding, now: number): Judgement =>
  isOver(binding, now)
    ? { status: 'True', reason: 'Ended', message: `it ended at ${binding.spec.expiresAt} and gives nothing` }
    : { status: 'False', reason: 'InEffect', message: `it ends at ${binding.spec.expiresAt}` }
