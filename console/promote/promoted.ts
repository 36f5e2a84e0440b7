import { serviceClient } from '../../client/service-client.js'
import { AppsService } from '../../proto/gen/kairship/apps_pb.js'
import { CoreService } from '../../proto/gen/kairship/core_pb.js'
import { NetworkingService } from '../../proto/gen/kairship/networking_pb.js'
import type { ObjectMeta } from '../../proto/gen/kairship/types_pb.js'
import { rest } from '../connection/rest.js'
import { ROWS } from '../live/pages.js'
import type { PromotedKind } from './promoted-kind.js'

const [apps, core, networking] = [
  serviceClient(AppsService, rest),
  serviceClient(CoreService, rest),
  serviceClient(NetworkingService, rest),
]

/** An object of a member. */
export interface MemberObject {
  readonly namespace: string
  readonly name: string
  /** It comes from a template already. */
  readonly isManaged: boolean
}

interface Place {
  readonly instance: string
  readonly cluster: string
}

/** Karmada's label on objects that it has created in a member. */
const MANAGED = 'karmada.io/managed'

/** A page of a member's objects of a kind, by name. */
export async function memberObjects(
  kind: PromotedKind,
  place: Place,
  { find = '', page = 1 }: { readonly find?: string; readonly page?: number },
  signal: AbortSignal,
): Promise<{ readonly items: readonly MemberObject[]; readonly total: number }> {
  const asked = { ...place, name: find, page, pageSize: ROWS }
  const { items, pagination } = await {
    deployments: () => apps.listMemberClusterAllDeployments(asked, { signal }),
    services: () => core.listMemberClusterAllServices(asked, { signal }),
    ingresses: () => networking.listMemberClusterAllIngresses(asked, { signal }),
  }[kind]()
  const metas: readonly (ObjectMeta | undefined)[] = items.map(({ metadata }) => metadata)
  return {
    items: metas.map(metadata => ({
      namespace: metadata?.namespace ?? '',
      name: metadata?.name ?? '',
      isManaged: metadata?.labels[MANAGED] === 'true',
    })),
    total: pagination?.total ?? items.length,
  }
}

/** An object to promote, and the Services promoted with it. */
export interface Promotion extends Place {
  readonly namespace: string
  readonly name: string
  readonly services: readonly string[]
}

/** Promotes an object of a member to a template; sent once. @param dryRun checks everything and creates nothing */
export async function promote(
  kind: PromotedKind,
  { services, ...of }: Promotion,
  dryRun: boolean,
): Promise<void> {
  await {
    deployments: () => apps.promoteMemberClusterDeployment({ ...of, services: [...services], dryRun }),
    services: () => core.promoteMemberClusterService({ ...of, dryRun }),
    ingresses: () => networking.promoteMemberClusterIngress({ ...of, dryRun }),
  }[kind]()
}

/** The names of Services in the object's namespace in its member, which may be promoted with it. */
export async function servicesBeside(
  { instance, cluster, namespace }: Pick<Promotion, 'instance' | 'cluster' | 'namespace'>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { items } = await core.listMemberClusterServices({ instance, cluster, namespace }, { signal })
  return items
    .filter(({ metadata }) => metadata?.labels[MANAGED] !== 'true')
    .map(({ metadata }) => metadata?.name ?? '')
}
