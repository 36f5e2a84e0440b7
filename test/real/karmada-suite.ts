import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { copyModule } from './copy-module.js'
import { sourceFolder } from './repository.js'

/** One text of a file of the suite, and what replaces it. */
interface Edit {
  readonly file: string
  readonly before: string
  readonly after: string
}

const CONSTANTS = 'test/e2e/framework/constant.go'
const SUITE = 'test/e2e/suites/base'

/**
 * Karmada's end-to-end suite waits in constants: five seconds between two looks make seven seconds of each spec, and what never
 * comes is waited for seven minutes. Both are shorter in the copy that is built. Clusters that specs create come from the harness,
 * where the suite has kind start containers.
 */
const EDITS: readonly Edit[] = [
  {
    file: CONSTANTS,
    before: 'PollInterval = 5 * time.Second',
    after: 'PollInterval = 200 * time.Millisecond',
  },
  { file: CONSTANTS, before: 'PollTimeout = 420 * time.Second', after: 'PollTimeout = 60 * time.Second' },
  ...['createCluster', 'deleteCluster'].map(name => ({
    file: `${SUITE}/suite_test.go`,
    before: `func ${name}(`,
    after: `func ${name}WithKind(`,
  })),
]

/** The functions that stand in for the renamed ones. */
const OWN_CLUSTERS = join(sourceFolder, 'karmada-e2e', 'clusters_test.go')

/** Everything that the copy has of ours: a suite that was built with something else is built again. */
export const SUITE_EDITS = { edits: EDITS, clusters: readFileSync(OWN_CLUSTERS, 'utf8') }

/**
 * Writes a copy of Karmada's module whose end-to-end suite waits less, and gets clusters from our harness, into `target`, replacing
 * what is there.
 * @param published folder of the module in Go's module cache (read-only)
 * @throws Error when the module does not have the expected text
 */
export function editedKarmadaSuite(published: string, target: string): void {
  copyModule(published, target)
  for (const { file, before, after } of EDITS) {
    const path = join(target, file)
    const source = readFileSync(path, 'utf8')
    if (!source.includes(before)) throw new Error(`${file} of Karmada lacks the expected text: ${before}`)
    writeFileSync(path, source.replace(before, after))
  }
  copyFileSync(OWN_CLUSTERS, join(target, SUITE, 'kairship_clusters_test.go'))
}
