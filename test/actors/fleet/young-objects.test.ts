import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

/** Objects that all live on, while other ones fill new space: what V8 decides about the place where they are made, it writes itself. */
const program = `
import { allocateYoung } from ${JSON.stringify(new URL('../../../dist/actors/fleet/young-objects.js', import.meta.url).href)}
if (process.argv[1] === 'young') allocateYoung()
const make = index => ({ index, inner: { index } })
const kept = []
for (let index = 0; index < 20_000; index++) {
  kept.push(make(index))
  globalThis.garbage = new Array(1_000 + (index % 7)).fill(index)
}
console.log('kept ' + kept.length)
`

async function decisionsOfV8(manner: 'young' | 'as V8 does'): Promise<readonly string[]> {
  // V8 decides when new space is as large as it may be.
  const full = ['--min-semi-space-size=4', '--max-semi-space-size=4']
  const args = [...full, '--trace-pretenuring-statistics', '--input-type=module', '--eval', program, manner]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  expect(stdout).toContain('kept 20000')
  return stdout.split('\n').filter(line => line.endsWith('=> tenure'))
}

it('V8 makes objects of a place whose objects lived on in old space, unless it is told to make all in new space', async () => {
  expect(await decisionsOfV8('as V8 does')).not.toEqual([])
  expect(await decisionsOfV8('young')).toEqual([])
})
