import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { LeadershipNews } from '../../../actors/fleet/leadership-news.js'

const names = Array.from({ length: 1_000 }, (_, index) => `n-${index}`)

/** News of which each actor takes a millisecond, and who was told. */
function slowNews(say = (name: string) => name) {
  const told: string[] = []
  let now = 0
  const tell = (name: string): void => {
    now += 1
    told.push(say(name))
  }
  return { told, news: new LeadershipNews(tell, () => now) }
}

it('news of leadership reaches every actor, and takes a few milliseconds of each turn of the event loop', async () => {
  const { told, news } = slowNews()
  news.tell(names)
  expect(told).toHaveLength(4)
  await turn()
  await turn()
  expect(told.length).toBeLessThanOrEqual(12)
  for (let turns = 0; turns < names.length; turns++) await turn()
  expect(told).toEqual(names)
})

it('later news takes the place of news that is being told', async () => {
  let leading = true
  const { told, news } = slowNews(name => `${name} ${leading}`)
  news.tell(names)
  leading = false
  news.tell(names)
  for (let turns = 0; turns < names.length; turns++) await turn()
  expect(told.slice(-names.length)).toEqual(names.map(name => `${name} false`))
  expect(told.filter(each => each.endsWith('true')).length).toBeLessThan(names.length / 2)
})

it('news that is stopped reaches no further actor', async () => {
  const { told, news } = slowNews()
  news.tell(names)
  const before = told.length
  news.stop()
  for (let turns = 0; turns < names.length; turns++) await turn()
  expect(told).toHaveLength(before)
})
