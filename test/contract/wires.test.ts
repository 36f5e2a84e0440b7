import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, it } from 'vitest'
import type { Contract } from '../proto/sample.js'
import { startPlaygroundTarget } from './playground-target.js'
import { services } from './services/index.js'
import { type ContractWorld, startContractWorld } from './world.js'

const contract = JSON.parse(
  readFileSync(join(import.meta.dirname, '../proto/contract.json'), 'utf8'),
) as Contract

describe('over REST and over gRPC equal messages answer', () => {
  let world: ContractWorld
  beforeAll(async () => {
    world = await startContractWorld(contract, await startPlaygroundTarget())
  })
  afterAll(() => world?.close())

  for (const { service, scenarios } of services)
    it.each(scenarios.map(scenario => [scenario.proves.join(', '), scenario] as const))(
      `${service}: %s`,
      (_, scenario) => world.compare(service, scenario),
    )
})
