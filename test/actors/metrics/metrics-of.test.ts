import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { metricsOf } from '../../../actors/metrics/metrics-of.js'
import { type PrometheusDouble, startPrometheusDouble } from '../../conformance/metrics/prometheus-double.js'
import { AT } from '../../conformance/metrics/rows.js'

const SECRET = 'correct horse'
let folder: string
let double: PrometheusDouble
const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kairship-metrics-'))
  double = await startPrometheusDouble()
})
afterAll(async () => {
  await double.close()
  rmSync(folder, { recursive: true })
})

const settings = (more: object) => ({
  metricsUrl: double.url,
  metricsInstanceLabel: 'kairship_instance',
  metricsCaFile: undefined,
  metricsCredentialsFile: undefined,
  ...more,
})

it('settings without metricsUrl give no metrics service', async () => {
  expect(await metricsOf(settings({ metricsUrl: undefined }))).toBeUndefined()
})

it.each([
  ['metricsCaFile', undefined, /^metricsCaFile: ENOENT.*nowhere/],
  ['metricsCaFile', 'no certificate', /^metricsCaFile: .*holds no certificate in PEM form/],
  ['metricsCredentialsFile', undefined, /^metricsCredentialsFile: ENOENT/],
  ['metricsCredentialsFile', '', /must hold YAML or JSON with either "token"/],
  ['metricsCredentialsFile', SECRET, /must hold YAML or JSON/],
  ['metricsCredentialsFile', `token: "${SECRET}: [`, /must hold YAML or JSON/],
  ['metricsCredentialsFile', `token: "a\\r\\nx-header: ${SECRET}"`, /must hold YAML or JSON/],
  ['metricsCredentialsFile', `{"token": "a", "password": "${SECRET}"}`, /must hold YAML or JSON/],
  ['metricsCredentialsFile', `username: "a:b"\npassword: "${SECRET}"`, /must hold YAML or JSON/],
  ['metricsCredentialsFile', `username: a\npassword: 5\nnote: "${SECRET}"`, /must hold YAML or JSON/],
])(
  'settings with the %s %j are refused when the process starts, without quoting it',
  async (name, text, words) => {
    const path = text === undefined ? join(folder, 'nowhere') : file('setting', text)
    const error = await metricsOf(settings({ [name]: path })).then(
      () => new Error('was not refused'),
      (problem: Error) => problem,
    )
    expect(error.name).toBe('ServiceSettingError')
    expect(error.message).toMatch(words)
    expect(error.message).not.toContain(SECRET)
  },
)

it('settings may have a token, and a path before the path of the API', async () => {
  let seen: readonly (string | undefined)[] = []
  double.answerWith((request, response) => {
    seen = [request.method, request.url, request.headers.authorization]
    const body = { status: 'success', data: { resultType: 'vector', result: [] } }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  const found = await metricsOf(
    settings({
      metricsUrl: `${double.url}/prefix/`,
      metricsCaFile: file('ca.crt', double.certificateAuthority),
      metricsCredentialsFile: file('token', 'token: abc.def'),
    }),
  )
  await found!.source.instant('1', AT, new AbortController().signal)
  await found!.source.close()
  expect(seen).toEqual(['POST', '/prefix/api/v1/query', 'Bearer abc.def'])
})
