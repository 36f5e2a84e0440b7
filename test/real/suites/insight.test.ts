import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Prometheus } from '../../../actors/metrics/prometheus.js'
import { boundedQuery } from '../../../http/rpc/insight/bounded-query.js'
import type { MetricsAnswer } from '../../../ports/metrics-source.js'
import { AT } from '../../conformance/metrics/rows.js'
import { INSTANCE_LABEL, openMetrics } from '../../conformance/metrics/samples.js'
import { metricsConformance } from '../../conformance/metrics/suite.js'
import { promQl } from '../../http/rpc/insight/random-promql.js'
import { type RunningPrometheus, startPrometheus } from '../prometheus.js'
import { Site } from '../site.js'

const site = new Site(mkdtempSync(join(tmpdir(), 'kairship-insight-')))
const signal = new AbortController().signal
let both: RunningPrometheus
/** Has no series but those of `north`: what a query of somebody who sees nothing else must give. */
let alone: RunningPrometheus
const clients: Prometheus[] = []
beforeAll(async () => {
  both = await startPrometheus(site, 'both', openMetrics(['north', 'south']))
  alone = await startPrometheus(site, 'alone', openMetrics(['north']))
})
afterAll(async () => {
  for (const client of clients) await client.close()
  await site.close()
})

async function connect(to: RunningPrometheus, name: string): Promise<Prometheus> {
  const { url, username, password, certificateAuthority } = to
  const client = new Prometheus({
    url,
    caFile: site.file(`${name}.crt`, certificateAuthority),
    credentialsFile: site.file(`${name}.json`, JSON.stringify({ username, password })),
  })
  clients.push(client)
  return client.prepare()
}

metricsConformance(() => ({ name: 'prometheus', ...both }))

describe('a query bounded to an instance', () => {
  const bound = { label: INSTANCE_LABEL, value: 'north' }
  const sorted = ({ series }: MetricsAnswer) => series.map(one => JSON.stringify(one)).sort()

  it('gives the same result as the query in a Prometheus that has only that instance’s series', async () => {
    const [bounded, unbounded] = [await connect(both, 'bounded'), await connect(alone, 'unbounded')]
    let compared = 0
    await fc.assert(
      fc.asyncProperty(promQl(), async query => {
        const outcome = (asked: Promise<MetricsAnswer>) => asked.then(sorted, (error: Error) => error.name)
        const [is, should] = await Promise.all([
          outcome(bounded.instant(boundedQuery(query, bound), AT, signal)),
          outcome(unbounded.instant(query, AT, signal)),
        ])
        expect(is).toEqual(should)
        if (Array.isArray(is) && is.length > 0) compared += 1
      }),
      { numRuns: 600 },
    )
    // Most random queries select nothing or are refused: enough must not.
    expect(compared).toBeGreaterThan(100)
  })

  it.each([
    '{__name__=~".+"}',
    'temperature{kairship_instance="south"}',
    'temperature{kairship_instance=~"north|south"}',
    'temperature{kairship_instance!="north"}',
    '{kairship_instance="south"} or temperature',
    'sum({__name__=~".+",kairship_instance!~"north"})',
    'temperature # } or {kairship_instance="south"}',
    'label_replace(temperature, "x", "$1", "kairship_instance", "(.*)") # "',
    'temperature{zone="} or {kairship_instance=\\"south\\"} or {x=\\""}',
    "temperature{zone!='\\'} or {'} or {kairship_instance=`south`}",
    'max_over_time(temperature[10m:1m] @ 1600000500 offset -30s) or count({kairship_instance="south"})',
  ])('shows no series of another instance: %s', async query => {
    const client = await connect(both, 'hostile')
    const text = JSON.stringify(await client.instant(boundedQuery(query, bound), AT, signal))
    expect(text).not.toMatch(/south-|owner-of-south|"south"(?!,"|})|"1\d{4}/)
    expect(text).not.toContain('"kairship_instance":"south"')
  })
})
