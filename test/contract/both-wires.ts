import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, it } from 'vitest'
import type { Contract } from '../proto/sample.js'
import { repositoryFolder } from '../real/repository.js'
import { services } from './services/index.js'
import type { Target } from './target.js'
import { type ContractWorld, startContractWorld } from './world.js'

/** A test for each scenario: over REST and gRPC equal messages answer. */
export function testBothWires(start: () => Promise<Target>): void {
  let world: ContractWorld
  beforeAll(async () => {
    const file = join(repositoryFolder, 'test/proto/contract.json')
    world = await startContractWorld(JSON.parse(readFileSync(file, 'utf8')) as Contract, await start())
  })
  afterAll(() => world?.close())

  const all = services.flatMap(({ service, scenarios }) =>
    scenarios.map(scenario => ({ service, scenario, title: `${service}: ${scenario.proves.join(', ')}` })),
  )
  for (const { service, scenario, title } of all.filter(({ scenario }) => scenario.alone))
    it(title, () => world.compare(service, scenario))
  for (const { service, scenario, title } of all.filter(({ scenario }) => !scenario.alone))
    it.concurrent(title, () => world.compare(service, scenario))
}
