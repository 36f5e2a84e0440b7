import { describe, expect, it } from 'vitest'
import {
  readContinue,
  readVersions,
  recoveredVersion,
  versionOf,
  withVersion,
  writeContinue,
  writeVersions,
} from '../../../../playground/karmada/search/cluster-versions.js'

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('the resourceVersion of several clusters', () => {
  it('is the JSON of each cluster’s, sorted by name, in base64url', () => {
    const versions = withVersion(withVersion(readVersions(''), 'm2', '7'), 'm1', '5')
    expect(Buffer.from(writeVersions(versions), 'base64url').toString()).toBe('{"m1":"5","m2":"7"}')
    expect(readVersions(writeVersions(versions))).toEqual(versions)
  })

  it('is empty without clusters, and 0 for any version of all', () => {
    expect(writeVersions(readVersions(''))).toBe('')
    expect(writeVersions(readVersions('0'))).toBe('0')
    expect(versionOf(readVersions('0'), 'm1')).toBe('0')
    expect(versionOf(readVersions(''), 'm1')).toBe('')
  })

  it('is no longer 0 when a cluster has a version', () => {
    const versions = withVersion(readVersions('0'), 'm1', '5')
    expect([versionOf(versions, 'm1'), versionOf(versions, 'm2')]).toEqual(['5', ''])
  })

  it.each(['12', 'no%base64', encoded('text'), encoded(['m1']), 'e30='])(
    'names no version where it cannot be read: %s',
    text => expect(readVersions(text).of.size).toBe(0),
  )
})

describe('the continue token of several clusters', () => {
  it('names the cluster, its own token and the versions', () => {
    const token = { versions: 'v', cluster: 'm1', token: 't' }
    expect(readContinue(writeContinue(token))).toEqual(token)
    expect(writeContinue({ versions: 'v', cluster: 'm2', token: '' })).toBe(
      encoded({ rv: 'v', cluster: 'm2' }),
    )
  })

  it('is empty where no cluster is left', () => {
    expect(writeContinue({ versions: 'v', cluster: '', token: '' })).toBe('')
  })
})

describe('the resourceVersion that an update sends back', () => {
  it('is that of the object’s cluster, and none where the cluster has none', () => {
    expect(recoveredVersion(encoded({ m1: '5', m2: '7' }), 'm2')).toBe('7')
    expect(recoveredVersion(encoded({ m1: '5' }), 'm2')).toBe('')
  })

  it.each(['', '0', '12'])('stays as it is where it is not of several clusters: %j', text =>
    expect(recoveredVersion(text, 'm1')).toBeUndefined(),
  )
})
