import { expect, it } from 'vitest'
import { PageReadings } from '../../console/live/page-readings.js'
import { settled } from './test-clock.js'

interface Row {
  readonly name: string
  readonly state: string
}

/** Readings of a server that answers each request when it is told to, with one row. */
function readings() {
  const requests: { readonly answer: (state: string) => void }[] = []
  const all = new PageReadings<Row>(
    {
      list: () =>
        new Promise(resolve =>
          requests.push({ answer: state => resolve({ items: [{ name: 'north', state }], total: 1 }) }),
        ),
      keyOf: ({ name }) => name,
    },
    2,
  )
  return { all, requests }
}

it('a late answer from before `reset` does not end a later read of the same page', async () => {
  const { all, requests } = readings()
  const first = all.read(1)
  all.reset()
  const second = all.read(1)
  requests[0]?.answer('old')
  expect(await first).toBeUndefined()
  expect(all.isReadingPage(1)).toBe(true)
  requests[1]?.answer('new')
  expect((await second)?.rows).toEqual([{ name: 'north', state: 'new' }])
  expect(all.isReading).toBe(false)
})

it('a change is applied to the pages that are being read when it comes, and to no later one', async () => {
  const { all, requests } = readings()
  const first = all.read(1)
  all.recordChange({ name: 'north', state: 'changed' })
  requests[0]?.answer('before')
  expect((await first)?.rows[0]?.state).toBe('changed')
  await settled()
  const second = all.read(1)
  requests[1]?.answer('after')
  expect((await second)?.rows[0]?.state).toBe('after')
})
