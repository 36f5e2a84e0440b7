import { ACCESS_LOCKS } from '../../../manifests/access-lock.js'
import type { KubeObject } from '../../../manifests/kube.js'
import type { AccessLocks } from '../../../ports/access-locks.js'
import type { AccessLockService, WatchAccessLocksRequest } from '../../../proto/gen/kairship/accesslock_pb.js'
import { ListChange_Type } from '../../../proto/gen/kairship/types_pb.js'
import type { Call } from '../../call/call.js'
import { type Authorizer, requireRight } from '../../identity/authorize.js'
import type { Order } from '../../objects/cursor.js'
import { pageOf } from '../../objects/paging.js'
import { watchHost } from '../../objects/watch/watch-host.js'
import type { ServiceHandlers } from '../../operation/operation.js'
import { afterFirstItem } from '../concurrency/after-first-item.js'
import { PageTokens } from '../kind/page-token.js'
import { marksOf, resumeTokenOf, streamDigest } from '../kind/resume-token.js'
import { isChosenBy, type StoredLocks } from './access-locks.js'
import { detailsOf, lockMessageOf, lockOf } from './lock-message.js'

/** What the handlers of the AccessLock service depend on. */
export interface AccessLockDependencies {
  readonly locks: StoredLocks
  /** As this replica's watch last saw them. */
  readonly known: Pick<AccessLocks, 'all'>
  readonly authorizer: Authorizer
  /** Milliseconds since the epoch; `Date.now` when absent. */
  readonly wallClock?: () => number
}

const BY_NAME: Order<KubeObject> = { keysOf: ({ metadata }) => [metadata.name], descending: 0 }

/** Locks: objects on the host, which Kairship reads and writes under its own credential for who may. */
export function accessLockHandlers({
  locks,
  known,
  authorizer,
  wallClock = () => Date.now(),
}: AccessLockDependencies): ServiceHandlers<typeof AccessLockService> {
  async function* messages(request: WatchAccessLocksRequest, call: Call) {
    const requireRights = async () => {
      for (const verb of ['list', 'watch'])
        await requireRight(authorizer, call, { verb, resource: ACCESS_LOCKS.resource })
    }
    await requireRights()
    const stream = streamDigest([ACCESS_LOCKS, request, call.caller.user])
    const since = marksOf(request.resumeToken, stream)?.[0] ?? undefined
    const list = locks.followed(isChosenBy(request), call.signal)
    for await (const { type, total, mark, known, ...step } of watchHost(list, since)) {
      if (known) continue
      await requireRights()
      yield {
        ...{ type: ListChange_Type[type], total },
        ...('object' in step && { lock: lockMessageOf(step.object) }),
        resumeToken: mark ? resumeTokenOf(stream, [mark]) : '',
      }
    }
  }

  return {
    async listAccessLocks(request, call) {
      const tokens = new PageTokens(request, call)
      const chosen = (await locks.all(call.signal)).filter(isChosenBy(request))
      const sorted = chosen.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
      const page = pageOf(sorted, tokens.request, BY_NAME)
      return { items: page.items.map(lockMessageOf), pagination: tokens.pagination(page) }
    },

    watchAccessLocks: (request, call) => afterFirstItem(messages(request, call)),

    async createAccessLock(request, call) {
      const lock = lockOf(request, call.caller.user, wallClock())
      call.about({ details: detailsOf(lock) })
      const created = await locks.create(lock, call.signal)
      call.about({ name: created.metadata.name })
      return lockMessageOf(created)
    },

    async deleteAccessLock({ name }, call) {
      const lock = known.all().find(({ metadata }) => metadata.name === name)
      if (lock) call.about({ details: detailsOf(lock) })
      await locks.delete(name, call.signal)
      return {}
    },
  }
}
