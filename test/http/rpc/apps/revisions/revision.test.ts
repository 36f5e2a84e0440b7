import { describe, expect, it } from 'vitest'
import {
  changeCauseOf,
  firstSeen,
  imagesOf,
  type KeptRevision,
  mergedRevisions,
  type PodTemplate,
  plainTemplate,
  revisionId,
} from '../../../../../http/rpc/apps/revisions/revision.js'

const template = (image: string, labels: object = { app: 'web' }): PodTemplate => ({
  metadata: { labels },
  spec: { containers: [{ image }] },
})
const kept = (
  cluster: string,
  revision: number,
  image: string,
  more: Partial<KeptRevision> = {},
): KeptRevision => ({
  ...{ cluster, revision, objectName: `web-${revision}`, createdAt: `2026-11-20T10:0${revision}:00Z` },
  ...{ active: false, id: revisionId(template(image)), template: template(image), ...more },
})

describe('a kept pod template', () => {
  it('is that of its workload, without what the controllers of a member add', () => {
    const inMember = {
      ...template('nginx:1', { app: 'web', 'pod-template-hash': '5d4f8c' }),
      $patch: 'replace',
    }
    expect(plainTemplate(inMember)).toEqual(template('nginx:1'))
    expect(inMember.metadata?.labels).toHaveProperty('pod-template-hash')
  })

  it.each<[string, PodTemplate, boolean]>([
    [
      'whose keys stand in another order',
      { spec: { containers: [{ image: 'a' }] }, metadata: { labels: { app: 'web' } } },
      true,
    ],
    [
      'with a null that another API server leaves out',
      { ...template('a'), metadata: { labels: { app: 'web' }, creationTimestamp: null } },
      true,
    ],
    ['of another image', template('b'), false],
    ['with one more label', template('a', { app: 'web', tier: 'x' }), false],
    [
      'with its containers in another order',
      { metadata: { labels: { app: 'web' } }, spec: { containers: [{ image: 'b' }, { image: 'a' }] } },
      false,
    ],
  ])('%s has the same id: %s', (_, other, same) => {
    expect(revisionId(other) === revisionId(template('a'))).toBe(same)
  })

  it('has an id of 128 bits, so that a member cannot find two templates of one id', () => {
    expect(revisionId(template('a'))).toMatch(/^[0-9a-f]{32}$/)
  })

  it('shows each image once', () => {
    const spec = { containers: [{ image: 'b' }, { image: 'a' }, {}], initContainers: [{ image: 'a' }] }
    expect(imagesOf({ spec })).toEqual(['a', 'b'])
    expect(imagesOf({})).toEqual([])
  })
})

describe('revisions of several members', () => {
  const all = [
    kept('b', 1, 'nginx:1', { createdAt: '2026-11-20T09:00:00Z' }),
    kept('a', 4, 'nginx:1', { active: true, changeCause: 'back again', createdAt: '2026-11-20T10:00:00Z' }),
    kept('a', 3, 'nginx:2', { createdAt: '2026-11-21T10:00:00Z' }),
    kept('b', 2, 'nginx:3', { createdAt: '2026-11-22T10:00:00Z', changeCause: '' }),
  ]
  const merged = mergedRevisions(all)

  it('are one where their templates are equal, and those that run come first', () => {
    expect(merged.map(({ kept }) => kept.map(({ cluster, revision }) => `${cluster} ${revision}`))).toEqual([
      ['a 4', 'b 1'],
      ['b 2'],
      ['a 3'],
    ])
  })

  it('are as old as in their first member, and have the newest cause', () => {
    expect(firstSeen(merged[0]!)).toBe('2026-11-20T09:00:00Z')
    expect(merged.map(changeCauseOf)).toEqual(['back again', '', ''])
  })
})
