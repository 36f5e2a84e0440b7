import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readBaseline } from '../../karmada-e2e/baseline.js'
import { runSuite } from '../../karmada-e2e/suite.js'
import { startTarget, type Target } from '../../karmada-e2e/target.js'

/** Files of Karmada's suite that together take half a minute; `npm run karmada:e2e` runs all. */
const FILES = ['overridepolicy', 'clusteroverridepolicy', 'dependenciesdistributor', 'rescheduling'] as const

let target: Target
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kairship-karmada-e2e-'))
  target = await startTarget('playground', line => console.error(line))
})
afterAll(async () => {
  await target?.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('the playground’s Karmada', () => {
  it('passes the specs of Karmada’s own suite that real Karmada passes', async () => {
    const files = [...FILES]
    const results = await runSuite(target, { files, minutes: 5, folder }, line => console.error(line))
    const passed = results.filter(one => one.passed).map(({ file, name }) => `${file}: ${name}`)
    const baseline = readBaseline()
    const wanted = FILES.flatMap(file => (baseline[file] ?? []).map(name => `${file}: ${name}`))
    expect(wanted.filter(spec => !passed.includes(spec))).toEqual([])
    expect(wanted.length).toBeGreaterThan(20)
  })
})
