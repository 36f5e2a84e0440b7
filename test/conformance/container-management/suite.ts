import { afterAll, beforeAll, describe, it } from 'vitest'
import type { Exceptions } from '../apiserver/suite.js'
import { plant } from './forest.js'
import { pediaClusters } from './groups/pedia-clusters.js'
import { reading } from './groups/reading.js'
import { selecting } from './groups/selecting.js'
import { ReadBench } from './read-bench.js'
import type { ReadTarget } from './target.js'

const groups = { PediaClusters: pediaClusters, reading, selecting }

/**
 * Declares what our code relies on in Container Management: PediaClusters in, Clusterpedia's read API out. The real
 * Clusterpedia is the truth for the embedded index.
 * @param exceptions claims that are not checked on this engine, each with its reason; an unknown claim is an error
 */
export function containerManagementConformance(
  open: () => Promise<ReadTarget>,
  exceptions: Exceptions = {},
): void {
  const claims = new Set(Object.values(groups).flatMap(rows => rows.map(({ claim }) => claim)))
  for (const claim of Object.keys(exceptions))
    if (!claims.has(claim)) throw new Error(`an exception names no behaviour of the suite: ${claim}`)

  describe('Container Management', () => {
    let bench: ReadBench
    let target: ReadTarget
    beforeAll(async () => {
      target = await open()
      bench = new ReadBench(target)
      await plant(bench)
    })
    afterAll(async () => {
      await bench?.close()
      await target?.close()
    })
    for (const [group, rows] of Object.entries(groups))
      describe(group, () => {
        for (const { claim, check } of rows) {
          const reason = exceptions[claim]
          it.skipIf(reason !== undefined)(
            reason === undefined ? claim : `${claim} (excepted: ${reason})`,
            () => check(bench),
          )
        }
      })
  })
}
