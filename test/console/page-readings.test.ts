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

it('a page that was forgotten, and whose answer comes late, ends no later reading of its number', async () => {
  const { all, requests } = readings()
  const first = all.read(1)
  all.forget()
  const second = all.read(1)
  requests[0]?.answer('old')
  expect(await first).toBeUndefined()
  expect(all.isUnderWay(1)).toBe(true)
  requests[1]?.answer('new')
  expect((await second)?.rows).toEqual([{ name: 'north', state: 'new' }])
  expect(all.isAny).toBe(false)
})

it('a change counts for the pages that are on their way when it comes, and for no later one', async () => {
  const { all, requests } = readings()
  const first = all.read(1)
  all.noteChange({ name: 'north', state: 'changed' })
  requests[0]?.answer('before')
  expect((await first)?.rows[0]?.state).toBe('changed')
  await settled()
  const second = all.read(1)
  requests[1]?.answer('after')
  expect((await second)?.rows[0]?.state).toBe('after')
})
