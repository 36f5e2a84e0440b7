import { create } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import type { Call } from '../../../../http/call/call.js'
import { imageHandlers } from '../../../../http/rpc/image/handlers.js'
import { bindingNameOf } from '../../../../manifests/workspace.js'
import type { ImageRegistry, RegistryVisit } from '../../../../ports/image-registry.js'
import { ServiceError } from '../../../../ports/service-error.js'
import {
  ListArtifactsRequestSchema,
  ListProjectsRequestSchema,
  ListRegistriesRequestSchema,
  ListRepositoriesRequestSchema,
} from '../../../../proto/gen/kairship/image_pb.js'
import { SortBy, SortDir } from '../../../../proto/gen/kairship/types_pb.js'
import { fakeLog } from '../../fakes/log.js'

const place = { instance: 'north', namespace: 'a' }
const digest = (n: number) => `sha256:${String(n).repeat(64)}`

/** What a registry holds: tags by repository, and the image of each tag by its number; 0 for a tag that is gone. */
const CONTENT: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'shop/web': { v1: 1, latest: 1, old: 0 },
  'shop/api': { v1: 2 },
  'office/mail': { v1: 3 },
  plain: { v1: 4 },
}

interface World {
  readonly bindings?: readonly {
    readonly workspace: string
    readonly instance: string
    readonly namespace?: string
  }[]
  readonly registries?: readonly Partial<ImageRegistry>[]
  readonly seesNamespace?: boolean
  readonly visit?: Partial<RegistryVisit>
}

/** The handlers over fakes, and what they read. Workspace `team` has the id 7, `other` 8, `shared` 9. */
function serving({ bindings = [], registries = [{}], seesNamespace = true, visit = {} }: World = {}) {
  const reads: string[] = []
  const visited: RegistryVisit = {
    repositories: async () => Object.keys(CONTENT).sort(),
    tags: async name => {
      reads.push(name)
      const tags = CONTENT[name]
      if (!tags) throw new ServiceError('notFound', `no repository ${name}`, 'NotFound')
      return Object.keys(tags).sort()
    },
    image: async (name, tag) => {
      const image = CONTENT[name]?.[tag]
      return image ? { digest: digest(image), size: image * 100 } : undefined
    },
    ...visit,
  }
  const all = registries.map(
    (more, at): ImageRegistry => ({
      ...{ name: `r${at}`, alias: `R ${at}`, host: `r${at}.test`, isPublic: true, visit: () => visited },
      ...more,
    }),
  )
  const workspaces = {
    all: async () =>
      Object.entries({ team: 7, other: 8, shared: 9 }).map(([name, id]) => ({
        metadata: { name },
        spec: { id },
      })),
    bindings: async () =>
      bindings.map(({ workspace, ...bound }) => ({
        metadata: { name: bindingNameOf(bound) },
        spec: { workspace, ...bound },
      })),
  }
  const objects = {
    get: async () => {
      reads.push('namespace')
      if (!seesNamespace) throw new Error('namespaces "a" is forbidden')
      return {}
    },
  }
  const handlers = imageHandlers({ registries: all, objects, workspaces } as never)
  const log = fakeLog()
  const call = {
    caller: { user: 'ann', groups: [], extra: {} },
    signal: new AbortController().signal,
    log,
  } as unknown as Call
  const registriesOf = async (request = {}) =>
    (
      await handlers.listRegistries(
        create(ListRegistriesRequestSchema, { ...place, global: true, ...request }),
        call,
      )
    ).items?.map(({ name }) => name)
  const repositories = (request = {}) =>
    handlers.listRepositories(
      create(ListRepositoriesRequestSchema, { ...place, registry: 'r0', project: 'shop', ...request }),
      call,
    )
  const artifacts = (request = {}) =>
    handlers.listArtifacts(
      create(ListArtifactsRequestSchema, {
        ...{ ...place, registry: 'r0', project: 'shop', repository: 'shop/web' },
        ...request,
      }),
      call,
    )
  const projects = async (request = {}) =>
    handlers.listProjects(create(ListProjectsRequestSchema, { ...place, registry: 'r0', ...request }), call)
  return { handlers, call, log, reads, registriesOf, repositories, artifacts, projects }
}

describe('the registries of a namespace', () => {
  const registries = [{}, { workspaceId: 7 }, { workspaceId: 8 }]

  it.each([
    ['none', [], ['r0']],
    ['its instance', [{ workspace: 'team', instance: 'north' }], ['r0', 'r1']],
    ['the namespace', [{ workspace: 'other', instance: 'north', namespace: 'a' }], ['r0', 'r2']],
    ['another namespace', [{ workspace: 'team', instance: 'north', namespace: 'b' }], ['r0']],
    ['another instance', [{ workspace: 'team', instance: 'south' }], ['r0']],
    ['a workspace without a registry', [{ workspace: 'shared', instance: 'north' }], ['r0']],
  ])('are the shared ones and those of bound workspaces: bound is %s', async (_, bindings, names) => {
    expect(await serving({ bindings, registries }).registriesOf()).toEqual(names)
  })

  it('are only those of a requested workspace, besides the shared ones', async () => {
    const bindings = [
      { workspace: 'team', instance: 'north' },
      { workspace: 'other', instance: 'north', namespace: 'a' },
    ]
    const { registriesOf } = serving({ bindings, registries })
    expect(await registriesOf({ workspaceId: '8' })).toEqual(['r0', 'r2'])
    expect(await registriesOf({ workspaceId: '9' })).toEqual(['r0'])
    expect(await registriesOf({ global: false })).toEqual(['r1', 'r2'])
  })

  it('are not shown to a caller that may not read the namespace', async () => {
    const { registriesOf, projects } = serving({ seesNamespace: false })
    await expect(registriesOf()).rejects.toThrow('forbidden')
    await expect(projects()).rejects.toThrow('forbidden')
  })

  it('are refused with NoRegistries when none is configured, before the instance is read', async () => {
    const { registriesOf, reads } = serving({ registries: [] })
    await expect(registriesOf()).rejects.toMatchObject({ code: 9, details: { reason: 'NoRegistries' } })
    expect(reads).toEqual([])
  })

  it.each(['x', '1e3', '-1', '12345678901', '7 or 1'])(
    'are refused for the workspace id %s',
    async workspaceId => {
      const { registriesOf, reads } = serving()
      await expect(registriesOf({ workspaceId })).rejects.toMatchObject({ code: 3 })
      expect(reads).toEqual([])
    },
  )

  it('cannot be read through any list when they belong to another workspace', async () => {
    const { projects, repositories, artifacts } = serving({ registries: [{ workspaceId: 7 }] })
    for (const list of [projects, repositories, artifacts])
      await expect(list()).rejects.toMatchObject({ code: 5, details: { reason: 'NotFound' } })
  })
})

describe('the lists of a registry', () => {
  it('have each project once, and one for names without a slash', async () => {
    expect((await serving().projects()).items).toEqual(['_', 'office', 'shop'])
  })

  it('have the repositories of one project, with as many tags as they have', async () => {
    expect((await serving().repositories()).items).toEqual([
      { name: 'shop/api', public: true, tagCount: 1n, artifacts: [] },
      { name: 'shop/web', public: true, tagCount: 3n, artifacts: [] },
    ])
    expect((await serving().repositories({ project: '_' })).items).toMatchObject([{ name: 'plain' }])
    expect((await serving().repositories({ fuzzyName: 'we' })).items).toMatchObject([{ name: 'shop/web' }])
  })

  it('show repositories of a registry with a credential as not public', async () => {
    const { items } = await serving({ registries: [{ isPublic: false }] }).repositories()
    expect(items?.map(one => one.public)).toEqual([false, false])
  })

  it('read only the repositories of their page', async () => {
    const { repositories, reads } = serving()
    const { pagination } = await repositories({ page: 2, pageSize: 1 })
    expect([pagination, reads]).toEqual([
      { total: 2, page: 2, pageSize: 1, pages: 2 },
      ['namespace', 'shop/web'],
    ])
  })

  it.each([
    [{ sortBy: SortBy.SORT_BY_UNSPECIFIED, sortDir: SortDir.desc }, ['shop/api', 'shop/web']],
    [{ sortBy: SortBy.field_name, sortDir: SortDir.asc }, ['shop/api', 'shop/web']],
    [{ sortBy: SortBy.field_name, sortDir: SortDir.desc }, ['shop/web', 'shop/api']],
  ])('are sorted by name: %j', async (order, names) => {
    expect((await serving().repositories(order)).items?.map(({ name }) => name)).toEqual(names)
  })

  it('have each image once, with its size and all its tags, and no tag that is gone', async () => {
    expect((await serving().artifacts()).items).toEqual([
      { digest: digest(1), imageSize: 100n, tags: [{ name: 'latest' }, { name: 'v1' }] },
    ])
    const { items = [] } = await serving().repositories({ showArtifacts: true, fuzzyName: 'api' })
    expect(items[0]?.artifacts).toEqual([{ digest: digest(2), imageSize: 200n, tags: [{ name: 'v1' }] }])
  })

  it('have a repository without tags when the catalog still has it, and fail for other errors', async () => {
    const visit = { repositories: async () => ['shop/gone'] }
    expect((await serving({ visit }).repositories()).items).toMatchObject([
      { name: 'shop/gone', tagCount: 0n },
    ])
    const tags = () => Promise.reject(new ServiceError('busy', 'too many', 'RegistryBusy'))
    await expect(serving({ visit: { ...visit, tags } }).repositories()).rejects.toMatchObject({
      kind: 'busy',
    })
  })

  it.each([
    ['shop/../x', 3],
    ['shop%2Fweb', 3],
    ['', 3],
    ['office/mail', 5],
    ['shopping/web', 5],
  ])('of the repository %j in the project shop are refused', async (repository, code) => {
    const { artifacts, reads } = serving()
    await expect(artifacts({ repository })).rejects.toMatchObject({ code })
    expect(reads).not.toContain(repository)
  })

  it('are refused for a negative page before the registry is read', async () => {
    const { projects, repositories, artifacts, registriesOf, reads } = serving()
    for (const list of [projects, repositories, artifacts, registriesOf])
      await expect(list({ page: -1 })).rejects.toMatchObject({ code: 3 })
    expect(reads).toEqual([])
  })

  it('are three at once for one caller, and free their slots when they fail', async () => {
    let fail: (error: Error) => void = () => undefined
    const waiting = new Promise<never>((_, reject) => {
      fail = reject
    })
    const { projects } = serving({ visit: { repositories: () => waiting } })
    const first = [1, 2, 3].map(() => projects().catch((error: Error) => error.message))
    await expect.poll(async () => projects().catch((error: { code?: number }) => error.code)).toBe(8)
    fail(new Error('broken'))
    expect(await Promise.all(first)).toEqual(['broken', 'broken', 'broken'])
    await expect(projects()).rejects.toThrow('broken')
  })

  it('log for the operator what only an operator can change', async () => {
    const broken = (kind: 'gateway' | 'busy') =>
      serving({ visit: { repositories: () => Promise.reject(new ServiceError(kind, 'no', 'NoRegistry')) } })
    const [gateway, busy] = [broken('gateway'), broken('busy')]
    await expect(gateway.projects()).rejects.toThrow('no')
    await expect(busy.projects()).rejects.toThrow('no')
    expect([gateway.log.lines.length, busy.log.lines.length]).toEqual([1, 0])
  })
})
