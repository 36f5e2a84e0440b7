import { expect, it } from 'vitest'
import { titleOf } from '../../console/shell/title.js'
import { en } from '../../console/words/en.js'

it.each([
  ['/', 'Fleet · Kairship'],
  ['/instances', 'Fleet · Kairship'],
  ['/events', 'Events · Kairship'],
  ['/access/roles', 'Access · Kairship'],
  ['/new-instance', 'New instance · Kairship'],
  ['/instances/eu-west', 'eu-west · Kairship'],
  ['/instances/eu-west/clusters', 'Member clusters · eu-west · Kairship'],
  ['/instances/eu-west/clusters/north', 'north · Member clusters · eu-west · Kairship'],
  ['/instances/eu-west/join-cluster', 'Member clusters · eu-west · Kairship'],
  ['/instances/eu-west/workloads/new', 'Workloads · eu-west · Kairship'],
  ['/instances/eu-west/workloads/deployments/shop/web/logs', 'web · Workloads · eu-west · Kairship'],
  ['/instances/eu-west/access', 'Access · eu-west · Kairship'],
  ['/instances/%E0%A4%A/toString', '%E0%A4%A · Kairship'],
])('the view at %s is titled “%s”', (path, title) => {
  expect(titleOf(path, en)).toBe(title)
})
