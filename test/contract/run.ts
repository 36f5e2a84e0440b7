import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Contract } from '../proto/sample.js'
import { repositoryFolder } from '../real/repository.js'
import { coverageOf } from './coverage.js'
import { startPlaygroundTarget } from './playground-target.js'
import { idOf } from './scenario.js'
import { checkSecrecy } from './secrecy/check.js'
import { services } from './services/index.js'
import { startContractWorld } from './world.js'

// How much of the contract works, and whether a secret is seen where none was asked for: `npm run contract [-- Service… | Secrecy]`.
// The last line is the coverage.
const contract = JSON.parse(
  readFileSync(join(repositoryFolder, 'test/proto/contract.json'), 'utf8'),
) as Contract
const SECRECY = 'Secrecy'
const asked = process.argv.slice(2)
const isAsked = (name: string) => asked.length === 0 || asked.includes(name)
const chosen = services.filter(({ service }) => isAsked(service))
const unknown = asked.filter(name => name !== SECRECY && !services.some(({ service }) => service === name))
if (unknown.length > 0) {
  console.error(`there are no scenarios of ${unknown.join(', ')}: see test/contract/services`)
  process.exit(2)
}

if (isAsked(SECRECY)) {
  const { problems, secrets, answers } = await checkSecrecy(contract)
  for (const problem of problems) console.log(`FAIL  ${problem}`)
  console.log(`Secrecy        ${problems.length} problems: ${secrets} secrets, ${answers} answers`)
  if (problems.length > 0) process.exitCode = 1
}
if (chosen.length > 0) await coverage()

async function coverage(): Promise<void> {
  const world = await startContractWorld(contract, await startPlaygroundTarget())
  try {
    const { proven, problems } = await coverageOf(world, chosen, (id, problem) =>
      console.log(problem === undefined ? `ok    ${id}` : `FAIL  ${id}: ${problem}`),
    )
    console.log()
    for (const service of new Set(contract.operations.map(operation => operation.service))) {
      const ids = contract.operations.filter(operation => operation.service === service).map(idOf)
      const missing = ids.filter(id => !proven.has(id))
      const list = missing.length > 0 && missing.length < ids.length ? `: without ${missing.join(', ')}` : ''
      console.log(`${service.padEnd(14)} ${ids.length - missing.length}/${ids.length}${list}`)
    }
    console.log(`${proven.size}/${contract.operations.length}`)
    if (problems.size > 0) process.exitCode = 1
  } finally {
    await world.close()
  }
}
