import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Api } from '../../../http/api-options.js'
import { WORKSPACE_BINDINGS } from '../../../manifests/workspace.js'
import { ImageService } from '../../../proto/gen/kairship/image_pb.js'
import { digestOf, repositories, web } from '../../conformance/images/content.js'
import { ManagedWorld } from '../support/managed-world.js'
import { type ServiceDoubles, startServiceDoubles } from '../support/service-doubles.js'
import { Wires } from '../support/wires.js'

const world = new ManagedWorld(ImageService)
let doubles: ServiceDoubles
let api: Api
let calls: Wires<typeof ImageService>
let viewer: Wires<typeof ImageService>
beforeAll(async () => {
  doubles = await startServiceDoubles(world.world.folder)
  api = await world.world.another('127.0.0.1:0', doubles.options)
  calls = new Wires(api, ImageService, world.world.playground.tokens.admin)
  viewer = calls.as(world.world.playground.tokens.viewer)
})
afterAll(async () => {
  calls?.close()
  viewer?.close()
  await doubles?.close()
})

const place = () => ({ instance: world.instance, namespace: 'default' })
const inTeam = () => ({ ...place(), registry: 'team' })
const namesOf = ({ items }: { items: { name: string }[] }) => items.map(({ name }) => name)

describe('without registries', () => {
  it('lists are refused with a stable reason, the same over REST and gRPC', async () => {
    for (const outcome of [
      await world.calls.both('listRegistries', place()),
      await world.calls.both('listProjects', inTeam()),
      await world.calls.both('listRepositories', { ...inTeam(), project: 'shop' }),
      await world.calls.both('listArtifacts', { ...inTeam(), project: 'shop', repository: 'shop/web' }),
    ]) {
      expect(outcome.json.code, outcome.text).toBe(9)
      expect(outcome.json.details).toContainEqual(expect.objectContaining({ reason: 'NoRegistries' }))
    }
    expect(await world.calls.read('detectKangaroo', {})).toEqual({ enabled: false })
  })
})

describe('image lists', () => {
  it('lead from registry to project to repository to artifact: each list takes a name of the list before', async () => {
    expect(await calls.read('detectKangaroo', {})).toEqual({ enabled: true })
    const [registry] = namesOf(await calls.read('listRegistries', { ...place(), global: true }))
    const projects = await calls.read('listProjects', { ...place(), registry: registry! })
    expect(projects).toEqual({
      items: ['_', 'office', 'shop'],
      pagination: { total: 3, page: 1, pageSize: 3, pages: 1 },
    })
    const found: string[] = []
    for (const project of projects.items) {
      const list = await calls.read('listRepositories', { ...place(), registry: registry!, project })
      for (const repository of namesOf(list)) {
        found.push(repository)
        const request = { ...place(), registry: registry!, project, repository }
        const { items } = await calls.read('listArtifacts', request)
        expect(items.length, repository).toBeGreaterThan(0)
      }
    }
    expect(found.sort()).toEqual(repositories)
  })

  it('show all tags of one image together, with its size', async () => {
    const request = { ...inTeam(), project: 'shop', repository: 'shop/web' }
    const { items } = await calls.read('listArtifacts', request)
    const size = web.blobs.reduce((sum, { length }) => sum + length, 0)
    const tag = (name: string) => ({ name, pushTime: '0' })
    expect(items[0]).toEqual({
      digest: digestOf(web.body),
      tags: [tag('stable'), tag('v1')],
      imageSize: String(size),
      pushTime: '0',
    })
    expect(items).toHaveLength(2)
  })

  it('are filtered by a part of the name, sorted either way, and paged', async () => {
    const request = { ...inTeam(), project: 'shop', fuzzyName: 'e', pageSize: 1 }
    const page = async (more: object) =>
      namesOf(await calls.read('listRepositories', { ...request, ...more }))
    expect([await page({}), await page({ page: 2 }), await page({ page: 3 })]).toEqual([
      ['shop/deep/api'],
      ['shop/web'],
      [],
    ])
    expect(await page({ sortBy: 'field_name', sortDir: 'desc' })).toEqual(['shop/web'])
  })

  it('read only the repositories of their page', async () => {
    const before = doubles.registry.received.length
    await calls.overRest('listRepositories', {
      ...inTeam(),
      project: 'shop',
      pageSize: 1,
      showArtifacts: true,
    })
    const paths = doubles.registry.received.slice(before).map(({ path }) => path)
    expect(paths.filter(path => path.includes('shop/web'))).toEqual([])
  })
})

describe('a registry of a workspace', () => {
  const binding = () => ({
    apiVersion: 'kairship.io/v1alpha1',
    kind: 'WorkspaceBinding',
    metadata: { name: `namespace-default.${world.instance}` },
    spec: { workspace: 'shop', instance: world.instance, namespace: 'default' },
  })
  const registries = async (more = {}) => namesOf(await calls.read('listRegistries', { ...place(), ...more }))

  it('is shown only in namespaces of that workspace', async () => {
    const ofShop = { ...place(), registry: 'shop' }
    expect(await registries({ global: true })).toEqual(['team'])
    expect((await calls.both('listProjects', ofShop)).json.code).toBe(5)
    const host = world.world.playground.host.local
    const path = `/apis/${WORKSPACE_BINDINGS.group}/${WORKSPACE_BINDINGS.version}/${WORKSPACE_BINDINGS.resource}`
    await host.request({ method: 'POST', path, body: binding() })
    try {
      expect(await registries({ global: true })).toEqual(['shop', 'team'])
      expect(await registries()).toEqual(['shop'])
      expect(await registries({ workspaceId: '2' })).toEqual(['shop'])
      expect(await registries({ workspaceId: '1' })).toEqual([])
      expect((await calls.both('listProjects', ofShop)).ok).toBe(true)
      const elsewhere = { ...ofShop, namespace: 'kube-system' }
      expect((await calls.both('listProjects', elsewhere)).json.code).toBe(5)
    } finally {
      await host.request({ method: 'DELETE', path: `${path}/${binding().metadata.name}` })
    }
  })
})

describe('a list is refused', () => {
  it.each([
    ['listRegistries', { page: -1 }, 3, 'page is -1'],
    ['listRegistries', { workspaceId: "1' or" }, 3, 'workspaceId must be'],
    ['listRegistries', { namespace: 'none' }, 5, 'none'],
    ['listRegistries', { namespace: '../x' }, 3, ''],
    ['listRegistries', { instance: 'nowhere' }, 5, 'nowhere'],
    ['listProjects', { registry: 'none' }, 5, 'no registry "none"'],
    ['listProjects', { registry: '../team' }, 5, 'no registry "../team"'],
    ['listProjects', { registry: 'https://169.254.1.1' }, 5, 'no registry'],
    [
      'listArtifacts',
      { registry: 'team', project: 'shop', repository: 'shop/../x' },
      3,
      'repository is "shop/../x"',
    ],
    ['listArtifacts', { registry: 'team', project: 'shop', repository: 'shop%2Fweb' }, 3, 'repository is'],
    ['listArtifacts', { registry: 'team', project: 'shop', repository: 'shop/wéb' }, 3, 'repository is'],
    [
      'listArtifacts',
      { registry: 'team', project: 'shop', repository: 'office/mail' },
      5,
      'has no repository',
    ],
    [
      'listArtifacts',
      { registry: 'team', project: 'shop', repository: 'shop/none' },
      5,
      'no repository shop/none',
    ],
  ] as const)('with the wrong field: %s %j', async (rpc, request, code, words) => {
    const { json, text } = await calls.both(rpc, { ...place(), ...request })
    expect([json.code, text]).toEqual([code, expect.stringContaining(words)])
  })

  it('to callers that may not see the namespace', async () => {
    const before = doubles.registry.received.length
    const stranger = calls.as('not-a-token')
    expect((await stranger.both('listProjects', inTeam())).json.code).toBe(16)
    stranger.close()
    expect(doubles.registry.received).toHaveLength(before)
    expect((await viewer.both('listProjects', inTeam())).ok).toBe(true)
  })

  it('with the setting that an operator must change, without the credential', async () => {
    doubles.registry.answerWith((_, response) => response.writeHead(302, { location: '/' }).end())
    try {
      const { json, text } = await calls.both('listProjects', inTeam())
      expect([json.code, text]).toEqual([14, expect.stringContaining('registry team redirects /v2/_catalog')])
      const log = JSON.stringify(world.log())
      expect(log).toContain('RegistryRedirects')
      expect(log).not.toContain(doubles.registry.password)
    } finally {
      doubles.registry.answerWith()
    }
  })
})

it('a repository that is in the catalog and has lost its tags is shown without tags', async () => {
  doubles.registry.answerWith((request, response) =>
    request.url?.includes('/tags/list') && request.headers.authorization
      ? response.writeHead(404).end('{}')
      : false,
  )
  try {
    const { items } = await calls.read('listRepositories', {
      ...inTeam(),
      project: 'office',
      showArtifacts: true,
    })
    expect(items).toMatchObject([{ name: 'office/mail', tagCount: '0', artifacts: [] }])
  } finally {
    doubles.registry.answerWith()
  }
})
