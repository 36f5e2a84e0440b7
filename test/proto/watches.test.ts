import type { DescField, DescMessage, DescMethod, DescService } from '@bufbuild/protobuf'
import { getOption } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { permission } from '../../proto/gen/kairship/permission_pb.js'
import { services } from './services.js'

/** Lists that have no watch, and why. */
const UNWATCHED: Readonly<Record<string, string>> = {
  'AccessReviewService.ListAccessSubjects':
    'it explains RBAC at the time that somebody asks, as a review does',
  'ApiextensionsService.ListCustomResourceDefinitionGroups':
    'groups are read from definitions, which WatchCustomResourceDefinitions follows',
  'AppsService.ListDeploymentRevisions': 'a revision comes with a change that WatchDeployments reports',
  'ClusterService.ListClustersLabels': 'labels of clusters, which WatchJoinedClusters follows',
  'ClusterService.ListClustersLocationSummary': 'places of clusters, which WatchJoinedClusters follows',
  'CoreService.ListInstanceEventKinds': 'kinds are read from events, which WatchEvents follows',
  'ImageService.ListArtifacts': 'registries have no watch',
  'ImageService.ListProjects': 'registries have no watch',
  'ImageService.ListRegistries': 'registries are read from a file, which changes with a restart only',
  'ImageService.ListRepositories': 'registries have no watch',
  'InstanceService.ListInstanceTransitions': 'InspectInstance streams transitions as they happen',
  'WorkloadService.ListDaemonSetRevisions': 'a revision comes with a change that WatchDaemonSets reports',
  'WorkloadService.ListStatefulSetRevisions': 'a revision comes with a change that WatchStatefulSets reports',
}

/** Fields of list requests that their watch lacks, and why. */
const UNFILTERED: Readonly<Record<string, string>> = {
  'ListJoinedClusters.all_cluster': 'is not read: every cluster that has joined is listed',
  'ListInstanceOverridePolicies.phase': 'must be empty: policies have no states',
  'ListInstancePropagationPolicies.phase': 'must be empty: policies have no states',
}

/** Watches that have no tokens, and why. */
const UNRESUMED: Readonly<Record<string, string>> = {
  WatchFleetObjects:
    'would need the states of 50 places; each goes on by itself while the stream lasts, and a new one starts over',
  WatchNamespaceInstances: 'would need the states of 50 instances, as WatchFleetObjects, and starts over',
  WatchWorkloadEvents: 'is made of the lists of up to 100 members, and starts over',
}

/** Fields that say which page of a list is read, and in which order. */
const OF_PAGES = ['page', 'page_size', 'page_token', 'sort_by', 'sort_dir', 'order_by']

/** An RPC that lists, or follows, messages of one type. */
interface Listing {
  readonly service: DescService
  readonly method: DescMethod
  /** The type of its items; undefined where they are not messages. */
  readonly item: DescMessage | undefined
}

const listings = (
  isWanted: (method: DescMethod) => boolean,
  itemOf: (method: DescMethod) => Listing['item'],
) =>
  services.flatMap(service =>
    service.methods.filter(isWanted).map(method => ({ service, method, item: itemOf(method) })),
  )
const lists = listings(
  ({ name }) => name.startsWith('List'),
  ({ output }) => output.fields.find(({ fieldKind, message }) => fieldKind === 'list' && message)?.message,
)
const watches = listings(
  ({ name }) => name.startsWith('Watch'),
  ({ output }) => output.fields.find(({ fieldKind }) => fieldKind === 'message')?.message,
)

/** What the permission of an RPC says that it reads, without the verb. */
function readBy(method: DescMethod): string {
  const { object, resource } = getOption(method, permission)
  return object ? `${object.group}/${object.version}/${object.resource}` : resource
}

const watchOf = ({ service, method, item }: Listing): Listing | undefined =>
  watches.find(
    watch => watch.service === service && watch.item === item && readBy(watch.method) === readBy(method),
  )

/** Each RPC's enum of kinds is its own: what counts is that the watch has every value of the list. */
function isLike(wanted: DescField, found: DescField | undefined): boolean {
  if (found?.jsonName !== wanted.jsonName || found.fieldKind !== wanted.fieldKind) return false
  if (found.scalar !== wanted.scalar || found.message !== wanted.message) return false
  const values = (field: DescField) => field.enum?.values.map(({ name, number }) => `${name}=${number}`) ?? []
  return values(wanted).every(value => values(found).includes(value))
}

const missing = lists.flatMap(list => {
  const fields = watchOf(list)?.method.input.fields
  return list.method.input.fields
    .filter(({ name }) => fields && !OF_PAGES.includes(name))
    .filter(
      wanted =>
        !isLike(
          wanted,
          fields?.find(({ name }) => name === wanted.name),
        ),
    )
    .map(({ name }) => `${list.method.name}.${name}`)
})

describe('watches', () => {
  it('exist for every list, but those for which a reason is given', () => {
    const unwatched = lists.filter(list => !watchOf(list))
    expect(unwatched.map(({ service, method }) => `${service.name}.${method.name}`).sort()).toEqual(
      Object.keys(UNWATCHED).sort(),
    )
    expect(lists.length).toBeGreaterThan(60)
  })

  it('each have a list', () => {
    const found = new Set(lists.map(watchOf))
    expect(watches.filter(watch => !found.has(watch)).map(({ method }) => method.name)).toEqual([])
  })

  it('filter by every field by which their lists filter, but those for which a reason is given', () => {
    expect(missing.sort()).toEqual(Object.keys(UNFILTERED).sort())
  })

  it.each(watches.map(({ method }) => [method.name, method] as const))(
    '%s goes on after a token, but for those for which a reason is given, and says what has left its filter and how many match',
    (name, { input, output }) => {
      const texts = (message: DescMessage) =>
        message.fields.map(({ name, scalar, enum: values }) => `${name} ${values ? 'enum' : scalar}`)
      const tokens = [...texts(input), ...texts(output)].filter(text => text === 'resume_token 9')
      expect(tokens).toHaveLength(name in UNRESUMED ? 0 : 2)
      expect(texts(output)).toEqual(expect.arrayContaining(['type enum', 'total 5']))
      const type = output.fields.find(({ name }) => name === 'type')
      expect(type?.enum?.values.map(({ name }) => name)).toContain('LEFT')
    },
  )
})
