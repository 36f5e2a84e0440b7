import { describe, expect, it } from 'vitest'
import {
  KARMADA_VERSION_NOTE,
  karmadaVersionOf,
} from '../../../../actors/instance/observers/karmada-version.js'
import { bareStatus, StatusError } from '../../../../manifests/status-error.js'

const refusal = (code: number, reason: string) => new StatusError({ ...bareStatus(code, reason), reason })
const noted = (data?: Record<string, string>) => karmadaVersionOf(() => Promise.resolve({ data }))

describe('the version of a Karmada', () => {
  it('is read from the ConfigMap of the Helm chart inside the control plane', async () => {
    const asked: string[] = []
    const version = await karmadaVersionOf(path => {
      asked.push(path)
      return Promise.resolve({ data: { karmadaVersion: 'v1.18.2' } })
    })
    expect(version).toBe('v1.18.2')
    expect(asked).toEqual([KARMADA_VERSION_NOTE])
    expect(KARMADA_VERSION_NOTE).toBe('/api/v1/namespaces/karmada-system/configmaps/karmada-version')
  })

  it.each([
    ['names no release', { karmadaVersion: 'latest' }],
    ['has another key', { version: 'v1.18.2' }],
    ['is empty', undefined],
  ])('is unknown where that ConfigMap %s', async (_what, data) => expect(await noted(data)).toBeUndefined())

  it.each([
    ['is none', 404, 'NotFound'],
    ['may not be read', 403, 'Forbidden'],
  ])('is unknown where that ConfigMap %s', async (_what, code, reason) =>
    expect(await karmadaVersionOf(() => Promise.reject(refusal(code, reason)))).toBeUndefined(),
  )

  it('is not reported as unknown when the control plane did not answer', async () => {
    const trouble = refusal(503, 'ServiceUnavailable')
    await expect(karmadaVersionOf(() => Promise.reject(trouble))).rejects.toBe(trouble)
  })
})
