import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'vitest'
import { INSTANCES } from '../../manifests/instance.js'
import type { Lease } from '../../manifests/lease.js'
import { eventually } from './support/eventually.js'
import type { KairshipProcess } from './support/kairship-process.js'
import { type Scenario, shortTerm } from './support/scenario.js'
import { it } from './support/scenario-test.js'

const HOUR = 3_600_000
const name = 'eu-west'

/**
 * Gives a process a wall clock that can be set: with SIGUSR2 it jumps by JUMP_MS. The monotonic
 * clock and the timers stay what they are, as they do when somebody sets the clock of a machine.
 */
const settableClock = `
const Real = Date
let offset = 0
globalThis.Date = class Date extends Real {
  constructor(...given) {
    if (given.length > 0) super(...given)
    else super(Real.now() + offset)
  }
  static now() { return Real.now() + offset }
}
process.on('SIGUSR2', () => { offset += Number(process.env.JUMP_MS) })
`

type Replicas = Readonly<Record<'a' | 'b', KairshipProcess>>

/** Starts two replicas, whose instance is ready then. */
async function started(scenario: Scenario, jumpMs: number): Promise<Replicas> {
  const file = join(scenario.folder, 'settable-clock.mjs')
  await writeFile(file, settableClock)
  const environment = { NODE_OPTIONS: `--import ${pathToFileURL(file).href}`, JUMP_MS: String(jumpMs) }
  const replicas = { a: scenario.replicaWith(environment, 'a'), b: scenario.replicaWith(environment, 'b') }
  await scenario.phase(name, 'Ready')
  return replicas
}

/** Waits for so many writes of the lease, by whomever. */
async function renewals(scenario: Scenario, count: number): Promise<void> {
  const seen = () => scenario.happenings.filter(({ what }) => what.startsWith('Lease')).length
  const before = seen()
  await eventually(`${count} renewals`, () => seen() >= before + count, scenario.patience)
}

it.concurrent.for([
  ['leads', 'forward', HOUR],
  ['leads', 'backward', -HOUR],
  ['follows', 'forward', HOUR],
  ['follows', 'backward', -HOUR],
] as const)(
  'a replica that %s, whose wall clock jumps an hour %s, keeps its state',
  async ([role, , jumpMs], { begin }) => {
    const scenario = await begin({ term: shortTerm })
    const replicas = await started(scenario, jumpMs)
    const leader = (await scenario.leader()) as 'a' | 'b'
    const follower = leader === 'a' ? 'b' : 'a'
    const before = scenario.happenings.length
    replicas[role === 'leads' ? leader : follower].kill('SIGUSR2')
    await renewals(scenario, 10)
    // The jump is there: what it writes down for people is an hour off.
    if (role === 'leads') {
      const written = scenario.happenings
        .slice(before)
        .map(({ object }) => (object as Lease).spec?.renewTime ?? '')
      expect(written.some(time => Math.abs(Date.parse(time) - Date.now()) > HOUR / 2)).toBe(true)
    }
    const done = scenario.chronicle(before)
    expect(done.filter(line => !line.startsWith('MODIFIED'))).toEqual([])
    expect(scenario.replicas.map(({ ending }) => ending)).toEqual([undefined, undefined])

    // Both still do their part: the one that leads acts, and the other takes over when it goes.
    const acting = (await scenario.leader()) as 'a' | 'b'
    replicas[acting].kill('SIGTERM')
    expect(await replicas[acting].ended, replicas[acting].story()).toEqual({ code: 0, signal: null })
    await scenario.leader(holder => holder !== '' && holder !== acting)
    await scenario.phase(name, 'Ready')
    await scenario.remove(INSTANCES, name)
    await scenario.gone(name)
  },
)
