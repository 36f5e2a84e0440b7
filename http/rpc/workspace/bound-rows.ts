import { type Bindable, bindingNameOf } from '../../../manifests/workspace.js'
import type { WorkspaceInfo } from '../../../proto/gen/kairship/workspace_pb.js'
import { type RowStep, ShownRows } from '../kind/shown-rows.js'
import { Membership, type MembershipStep } from './membership.js'

/** An instance, or a namespace of one, with its workspace. */
export type BoundRow<B extends Bindable> = B & {
  readonly workspace: Pick<WorkspaceInfo, 'workspace' | 'workspaceId'>
}

/** What instances and namespaces that come and go, and are bound and released, are to the reader of a stream. */
export class BoundRows<B extends Bindable> {
  readonly membership = new Membership()
  readonly #rows = new ShownRows<BoundRow<B>>()

  get total(): number {
    return this.#rows.size
  }

  get digest(): string {
    return this.#rows.digest
  }

  /** Shows it with its workspace now; undefined where it is shown so already. */
  show(bound: B): RowStep<BoundRow<B>> | undefined {
    return this.#rows.set(bindingNameOf(bound), { ...bound, workspace: this.membership.workspaceOf(bound) })
  }

  hide(bound: B): RowStep<BoundRow<B>> | undefined {
    return this.#rows.remove(bindingNameOf(bound))
  }

  /** Takes a step of the workspaces and bindings. Returns those shown whose workspace may be another now. */
  take(step: MembershipStep): readonly BoundRow<B>[] {
    const names = this.membership.take(step)
    return names.map(name => this.#rows.get(name)).filter(row => row !== undefined)
  }
}
