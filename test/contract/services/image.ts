import { deepEqual, equal } from 'node:assert/strict'
import { digestOf, web } from '../../conformance/images/content.js'
import type { ServiceScenarios } from '../scenario.js'

const registry = 'team'

/** Scenarios of the Image service. */
export const image: ServiceScenarios = {
  service: 'Image',
  scenarios: [
    {
      proves: ['DetectKangaroo'],
      async run({ ask }) {
        deepEqual(await ask('DetectKangaroo'), { enabled: true })
      },
    },
    {
      proves: ['ListRegistries'],
      async run({ ask }) {
        const { items, pagination } = await ask('ListRegistries', { global: true })
        deepEqual(items, [{ name: 'team', alias: 'The team’s', host: 'registry.example' }])
        equal(pagination.total, 1)
        deepEqual((await ask('ListRegistries')).items, [])
      },
    },
    {
      proves: ['ListProjects'],
      async run({ ask, refused }) {
        const { items } = await ask('ListProjects', { registry, sortBy: 'field_name', sortDir: 'desc' })
        deepEqual(items, ['shop', 'office', '_'])
        equal(await refused('ListProjects', { registry: 'none' }), 404)
      },
    },
    {
      proves: ['ListRepositories'],
      async run({ ask }) {
        const wanted = {
          registry,
          project: 'shop',
          fuzzyName: 'e',
          pageSize: 1,
          page: 2,
          showArtifacts: true,
        }
        const { items, pagination } = await ask('ListRepositories', wanted)
        deepEqual(pagination, { total: 2, page: 2, pageSize: 1, pages: 2 })
        deepEqual([items[0].name, items[0].tagCount], ['shop/web', '3'])
        deepEqual(items[0].artifacts[0].digest, digestOf(web.body))
      },
    },
    {
      proves: ['ListArtifacts'],
      async run({ ask, refused }) {
        const { items } = await ask('ListArtifacts', { registry, project: 'shop', repository: 'shop/web' })
        const tags = items.map((item: { tags: { name: string }[] }) => item.tags.map(({ name }) => name))
        deepEqual(tags, [['stable', 'v1'], ['v2']])
        const size = web.blobs.reduce((sum, { length }) => sum + length, 0)
        deepEqual([items[0].digest, items[0].imageSize], [digestOf(web.body), String(size)])
        equal(await refused('ListArtifacts', { registry, project: 'shop', repository: '../secret' }), 400)
      },
    },
  ],
}
