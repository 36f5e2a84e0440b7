import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { INSTANCES } from '../../manifests/instance.js'
import type { Lease } from '../../manifests/lease.js'
import { eventually } from './support/eventually.js'
import type { KairshipProcess } from './support/kairship-process.js'
import { Scenario, shortTerm } from './support/scenario.js'

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

let scenario: Scenario
let replicas: Record<'a' | 'b', KairshipProcess>
beforeEach(async () => {
  scenario = await Scenario.start({ term: shortTerm })
})
afterEach(() => scenario.end())

/** Starts two replicas, and returns which of them leads when the instance is ready. */
async function started(jumpMs: number): Promise<'a' | 'b'> {
  const file = join(scenario.folder, 'settable-clock.mjs')
  await writeFile(file, settableClock)
  const environment = { NODE_OPTIONS: `--import ${pathToFileURL(file).href}`, JUMP_MS: String(jumpMs) }
  replicas = { a: scenario.replicaWith(environment, 'a'), b: scenario.replicaWith(environment, 'b') }
  await scenario.phase(name, 'Ready')
  return (await scenario.leader()) as 'a' | 'b'
}

/** Waits for so many writes of the lease, by whomever. */
async function renewals(count: number): Promise<void> {
  const seen = () => scenario.happenings.filter(({ what }) => what.startsWith('Lease')).length
  const before = seen()
  await eventually(`${count} renewals`, () => seen() >= before + count, scenario.patience)
}

it.each([
  ['leads', 'forward', HOUR],
  ['leads', 'backward', -HOUR],
  ['follows', 'forward', HOUR],
  ['follows', 'backward', -HOUR],
] as const)(
  'a replica that %s, whose wall clock jumps an hour %s, disturbs nothing',
  async (role, _way, jumpMs) => {
    const leader = await started(jumpMs)
    const follower = leader === 'a' ? 'b' : 'a'
    const before = scenario.happenings.length
    replicas[role === 'leads' ? leader : follower].kill('SIGUSR2')
    await renewals(10)
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
