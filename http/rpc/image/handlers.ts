import { type ImageRegistry, isRepositoryName, type RegistryVisit } from '../../../ports/image-registry.js'
import { ServiceError } from '../../../ports/service-error.js'
import type { ImageService } from '../../../proto/gen/kairship/image_pb.js'
import { SortBy, SortDir } from '../../../proto/gen/kairship/types_pb.js'
import type { Call } from '../../call/call.js'
import { logForOperator } from '../../call/log-for-operator.js'
import { invalidFields, notFound } from '../../errors/failure.js'
import { ConcurrencyLimit } from '../../limits/concurrency-limit.js'
import { compareKeys } from '../../objects/cursor.js'
import { type Page, pageOf } from '../../objects/paging.js'
import type { ServiceHandlers } from '../../operation/operation.js'
import { someAtOnce } from '../concurrency/some-at-once.js'
import { PageTokens } from '../kind/page-token.js'
import { AT_ONCE, artifactsOf, projectOf } from './repositories.js'
import { type RegistryDependencies, visibleRegistries, visibleRegistry } from './visible-registries.js'

/** Calls of one person that read registries at once: a form has a list open, and the next one coming. */
const CALLS_PER_CALLER = 3

interface ListRequest {
  readonly sortBy: SortBy
  readonly sortDir: SortDir
}

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
      const tokens = new PageTokens(request, call)
      const visible = await visibleRegistries(dependencies, call, request)
      const wanted = visible.filter(({ workspaceId }) => workspaceId !== undefined || request.global)
      const page = listed(wanted, request, tokens, ({ name }) => [name])
      const items = page.items.map(({ name, alias, host }) => ({ name, alias, host }))
      return { items, pagination: tokens.pagination(page) }
    },

    async listProjects(request, call) {
      const tokens = new PageTokens(request, call)
      const registry = await visibleRegistry(dependencies, call, request)
      const repositories = await reading(call, registry, visit => visit.repositories())
      const page = listed([...new Set(repositories.map(projectOf))], request, tokens, name => [name])
      return { items: [...page.items], pagination: tokens.pagination(page) }
    },

    async listRepositories(request, call) {
      const tokens = new PageTokens(request, call)
      const { project, fuzzyName, showArtifacts } = request
      const registry = await visibleRegistry(dependencies, call, request)
      return reading(call, registry, async visit => {
        const all = await visit.repositories()
        const wanted = all.filter(name => projectOf(name) === project && name.includes(fuzzyName))
        const page = listed(wanted, request, tokens, name => [name])
        const messages = await someAtOnce(page.items, AT_ONCE, async name => {
          const tags = await tagsOf(visit, name)
          return {
            name,
            public: registry.isPublic,
            tagCount: BigInt(tags.length),
            artifacts: showArtifacts ? await artifactsOf(visit, name, tags) : [],
          }
        })
        return { items: messages, pagination: tokens.pagination(page) }
      })
    },

    async listArtifacts(request, call) {
      const tokens = new PageTokens(request, call)
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
        const page = listed(artifacts, request, tokens, ({ tags: [first], digest }) => [
          first?.name ?? '',
          digest,
        ])
        return { items: [...page.items], pagination: tokens.pagination(page) }
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
function listed<T>(
  items: readonly T[],
  { sortBy, sortDir }: ListRequest,
  { request }: PageTokens,
  keysOf: (item: T) => readonly string[],
): Page<T> {
  const descending = sortBy === SortBy.SORT_BY_UNSPECIFIED || sortDir === SortDir.asc ? 0 : 1
  const sorted = [...items].sort((a, b) => compareKeys(keysOf(a), keysOf(b), descending))
  return pageOf(sorted, request, { keysOf, descending })
}
