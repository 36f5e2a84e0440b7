import { expect, it } from 'vitest'
import type { Outcome } from '../../../http/read-your-writes/outcome.js'
import { collectGarbage } from '../../collect-garbage.js'
import { ann, lost, maps, namespaces, remove, start, update, wrote } from './ledgers.js'

it('the ledger of one caller takes bounded memory, whatever it writes', () => {
  const { write } = start()
  const used = () => {
    collectGarbage({ type: 'major' })
    return process.memoryUsage().heapUsed
  }
  const flood = (outcome: Outcome) => {
    for (let n = 0; n < 20_000; n++) {
      write(ann, { group: 'x', resource: `r${n}` }, update(`o${n}`), outcome)
      write(ann, maps, update(`o${n}`), outcome)
      write(ann, namespaces, remove(`n${n}`), outcome)
    }
  }
  flood(lost)
  const before = used()
  flood(wrote('x'))
  flood(lost)
  expect(used() - before).toBeLessThan(2_000_000)
})
