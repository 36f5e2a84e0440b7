import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { LeadershipNews } from '../../../actors/fleet/leadership-news.js'

const names = Array.from({ length: 1_000 }, (_, index) => `n-${index}`)

it('news of leadership reaches every actor, and lets the event loop turn meanwhile', async () => {
  const told: string[] = []
  const news = new LeadershipNews(name => told.push(name))
  news.tell(names)
  const atOnce = told.length
  expect(atOnce).toBeGreaterThan(0)
  expect(atOnce).toBeLessThan(names.length / 2)
  for (let turns = 0; turns < names.length; turns++) await turn()
  expect(told).toEqual(names)
})

it('later news takes the place of news that is being told', async () => {
  const told: string[] = []
  let leading = true
  const news = new LeadershipNews(name => told.push(`${name} ${leading}`))
  news.tell(names)
  leading = false
  news.tell(names)
  for (let turns = 0; turns < names.length; turns++) await turn()
  expect(told.slice(-names.length)).toEqual(names.map(name => `${name} false`))
  expect(told.filter(each => each.endsWith('true')).length).toBeLessThan(names.length / 2)
})

it('news that is stopped reaches no further actor', async () => {
  const told: string[] = []
  const news = new LeadershipNews(name => told.push(name))
  news.tell(names)
  const before = told.length
  news.stop()
  for (let turns = 0; turns < names.length; turns++) await turn()
  expect(told).toHaveLength(before)
})
