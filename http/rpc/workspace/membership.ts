import {
  type Bindable,
  bindingNameOf,
  WORKSPACE_BINDINGS,
  WORKSPACES,
  type Workspace,
  type WorkspaceBinding,
} from '../../../manifests/workspace.js'
import type { ListMark } from '../../objects/list-mark.js'
import type { ObjectEvent } from '../../objects/objects.js'
import { FollowedState } from '../../objects/watch/followed-state.js'
import { watchHost } from '../../objects/watch/watch-host.js'
import type { Source } from '../concurrency/started-together.js'
import type { Marks } from '../kind/resume-token.js'
import { type Workspaces, workspaceInfoOf } from './workspaces.js'

type Info = ReturnType<typeof workspaceInfoOf>

const NONE: Info = { workspace: '', workspaceId: 0 }

/**
 * Which workspace an instance or a namespace belongs to.
 * @param known the workspaces that there are, by name
 * @param bound the name of a workspace by the name of its binding
 */
export const workspaceIn =
  (known: ReadonlyMap<string, Info>, bound: ReadonlyMap<string, string>) =>
  (one: Bindable): Info => {
    const name = bound.get(bindingNameOf(one))
    // Of a workspace that Global Management has deleted, the name is all there is.
    return name === undefined ? NONE : (known.get(name) ?? { ...NONE, workspace: name })
  }

/** A step of one of the two lists that say who belongs where. */
export type MembershipStep =
  | { readonly of: 'workspaces'; readonly event: ObjectEvent<Workspace> }
  | { readonly of: 'bindings'; readonly event: ObjectEvent<WorkspaceBinding> }

/** Both lists as the host changes them. @param since the states of both to go on after */
export function membershipSources(
  workspaces: Workspaces,
  since: Marks | undefined,
): Source<MembershipStep>[] {
  const isStarted = ({ event }: MembershipStep) => event.type === 'BOOKMARK'
  const [known, bound] = since ?? []
  return [
    {
      async *items(signal) {
        const list = workspaces.followed<Workspace>(WORKSPACES, signal)
        for await (const event of watchHost(list, known ?? undefined)) yield { of: 'workspaces', event }
      },
      isStarted,
    },
    {
      async *items(signal) {
        const list = workspaces.followed<WorkspaceBinding>(WORKSPACE_BINDINGS, signal)
        for await (const event of watchHost(list, bound ?? undefined)) yield { of: 'bindings', event }
      },
      isStarted,
    },
  ]
}

/** Who belongs to which workspace, as both lists say it so far. */
export class Membership {
  readonly #workspaces = new FollowedState(workspaceInfoOf)
  readonly #bindings = new FollowedState(({ spec }: WorkspaceBinding) => spec.workspace)

  get isWhole(): boolean {
    return this.#workspaces.isWhole && this.#bindings.isWhole
  }

  /** Names the states of both; undefined where one cannot be named. */
  get marks(): readonly [ListMark, ListMark] | undefined {
    const [known, bound] = [this.#workspaces.mark, this.#bindings.mark]
    return known && bound && [known, bound]
  }

  workspaceOf(one: Bindable): Info {
    return workspaceIn(this.#workspaces.objects, this.#bindings.objects)(one)
  }

  /** Takes a step. Returns the names of the bindings whose workspace may be another after it. */
  take(step: MembershipStep): readonly string[] {
    if (step.of === 'bindings') return this.#bindings.take(step.event).map(({ name }) => name)
    const changed = new Set(this.#workspaces.take(step.event).map(({ name }) => name))
    if (changed.size === 0) return []
    return [...this.#bindings.objects].filter(([, name]) => changed.has(name)).map(([name]) => name)
  }
}
