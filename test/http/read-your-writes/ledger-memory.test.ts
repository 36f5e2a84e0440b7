import { expect, it } from 'vitest'
import type { Outcome } from '../../../http/read-your-writes/outcome.js'
import { collectGarbage } from '../../collect-garbage.js'
import { ann, lost, maps, namespaces, remove, start, update, wrote } from './ledgers.js'

it('the ledger of one caller takes bounded memory, whatever it writes', () => {
  const { write } = start()
  const used = () => {
    collectGarbage()
    return process.memoryUsage().heapUsed
  }
  /** Writes what was never written before, so that a record of each write would grow with every flood. */
  const flood = (round: string, outcome: Outcome) => {
    for (let n = 0; n < 10_000; n++) {
      write(ann, { group: 'x', resource: `r${round}${n}` }, update(`o${n}`), outcome)
      write(ann, maps, update(`o${round}${n}`), outcome)
      write(ann, namespaces, remove(`n${round}${n}`), outcome)
    }
  }
  flood('a', lost)
  const before = used()
  for (const round of ['b', 'c', 'd']) flood(round, wrote('x'))
  flood('e', lost)
  expect(used() - before).toBeLessThan(2_000_000)
})
