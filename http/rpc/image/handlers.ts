import { type ImageRegistry, isRepositoryName, type RegistryVisit } from '../../../ports/image-registry.js'
import { ServiceError } from '../../../ports/service-error.js'
import type { ImageService } from '../../../proto/gen/kairship/image_pb.js'
import { SortBy, SortDir } from '../../../proto/gen/kairship/types_pb.js'
import type { Call } from '../../call/call.js'
import { logForOperator } from '../../call/log-for-operator.js'
import { invalidFields, notFound } from '../../errors/failure.js'
import { ConcurrencyLimit } from '../../limits/concurrency-limit.js'
import { checkPage, type Page, type PageRequest, pageOf } from '../../objects/paging.js'
import type { ServiceHandlers } from '../../operation/operation.js'
import { someAtOnce } from '../concurrency/some-at-once.js'
import { AT_ONCE, artifactsOf, projectOf } from './repositories.js'
import { type RegistryDependencies, visibleRegistries, visibleRegistry } from './visible-registries.js'

/** Calls of one person that read registries at once: a form has a list open, and the next one coming. */
const CALLS_PER_CALLER = 3

type ListRequest = PageRequest & { readonly sortBy: SortBy; readonly sortDir: SortDir }

/** Image registries, and what they hold. */
export function imageHandlers(dependencies: RegistryDependencies): ServiceHandlers<typeof ImageService> {
  const held = new ConcurrencyLimit('calls that read image registries', CALLS_PER_CALLER)

  const reading = async <T>(
    call: Call,
    registry: ImageRegistry,
    work: (visit: RegistryVisit) => Promise<T>,
  ): Promise<T> => {
    const giveBack = held.take(call.caller.user)
    try {
      return await logForOperator(call, work(registry.visit(call.signal)))
    } finally {
      giveBack()
    }
  }

  return {
    async listRegistries(request, call) {
      checkPage(request)
      const visible = await visibleRegistries(dependencies, call, request)
      const wanted = visible.filter(({ workspaceId }) => workspaceId !== undefined || request.global)
      const { items, pagination } = listed(wanted, request, ({ name }) => name)
      return { items: items.map(({ name, alias, host }) => ({ name, alias, host })), pagination }
    },

    async listProjects(request, call) {
      checkPage(request)
      const registry = await visibleRegistry(dependencies, call, request)
      const repositories = await reading(call, registry, visit => visit.repositories())
      const { items, pagination } = listed([...new Set(repositories.map(projectOf))], request, name => name)
      return { items: [...items], pagination }
    },

    async listRepositories(request, call) {
      checkPage(request)
      const { project, fuzzyName, showArtifacts } = request
      const registry = await visibleRegistry(dependencies, call, request)
      return reading(call, registry, async visit => {
        const all = await visit.repositories()
        const wanted = all.filter(name => projectOf(name) === project && name.includes(fuzzyName))
        const { items, pagination } = listed(wanted, request, name => name)
        const messages = await someAtOnce(items, AT_ONCE, async name => {
          const tags = await tagsOf(visit, name)
          return {
            name,
            public: registry.isPublic,
            tagCount: BigInt(tags.length),
            artifacts: showArtifacts ? await artifactsOf(visit, name, tags) : [],
          }
        })
        return { items: messages, pagination }
      })
    },

    async listArtifacts(request, call) {
      checkPage(request)
      const { project, repository } = request
      if (!isRepositoryName(repository))
        throw invalidFields([
          {
            field: 'repository',
            description: `is ${JSON.stringify(repository)}, which no repository can be called`,
          },
        ])
      const registry = await visibleRegistry(dependencies, call, request)
      if (projectOf(repository) !== project)
        throw notFound(`project ${JSON.stringify(project)} has no repository ${repository}`, {
          reason: 'NotFound',
        })
      return reading(call, registry, async visit => {
        const tags = await visit.tags(repository)
        const artifacts = await artifactsOf(visit, repository, tags)
        const { items, pagination } = listed(artifacts, request, ({ tags: [first] }) => first?.name ?? '')
        return { items: [...items], pagination }
      })
    },

    detectKangaroo: () => ({ enabled: dependencies.registries.length > 0 }),
  }
}

/** The tags of a repository of the catalog, which keeps names of those that are deleted. */
async function tagsOf(visit: RegistryVisit, repository: string): Promise<readonly string[]> {
  try {
    return await visit.tags(repository)
  } catch (error) {
    if (error instanceof ServiceError && error.kind === 'notFound') return []
    throw error
  }
}

/** A page of what there is, by name: registries know no other order. Ascending, unless a request asks for another order. */
function listed<T>(items: readonly T[], request: ListRequest, nameOf: (item: T) => string): Page<T> {
  const { sortBy, sortDir } = request
  const sign = sortBy === SortBy.SORT_BY_UNSPECIFIED || sortDir === SortDir.asc ? 1 : -1
  const order = (a: T, b: T) => (nameOf(a) < nameOf(b) ? -sign : nameOf(a) > nameOf(b) ? sign : 0)
  return pageOf([...items].sort(order), request)
}
