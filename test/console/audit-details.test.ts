import { create } from '@bufbuild/protobuf'
import { expect, it } from 'vitest'
import { auditDetails, placeOf } from '../../console/access/audit-details.js'
import { accessEn } from '../../console/words/access.js'
import { accessZh } from '../../console/words/access-zh.js'
import { messageOf } from '../../http/audit/details.js'
import type { AuditDetails } from '../../http/call/audit-details.js'
import { AuditDetailsSchema, AuditEventSchema } from '../../proto/gen/kairship/audit_pb.js'

const expiresAt = '2026-11-24T12:00:05Z'

it.each<[string, AuditDetails, string, string]>([
  ['a dry run', { dryRun: true }, 'Dry run: nothing was written', '试运行：未写入任何内容'],
  [
    'a role',
    { role: 'Admin', subjects: 'User ann', workspace: 'shop', expiresAt, deliveredBy: 'gm', reason: 'x' },
    `Admin for User ann · in the workspace shop · until ${expiresAt} · delivered by gm · reason: “x”`,
    `User ann 的角色 Admin · 工作空间 shop · 截止 ${expiresAt} · 由 gm 下发 · 原因：“x”`,
  ],
  [
    'a lock',
    { user: 'ann', instance: 'eu', reason: 'the token is for the instance "eu" alone' },
    'User ann · Instance eu · reason: “the token is for the instance "eu" alone”',
    '用户 ann · 实例 eu · 原因：“the token is for the instance "eu" alone”',
  ],
])(
  'an audit event of %s has its details in the user’s language, and quotes its author',
  (_, details, en, zh) => {
    const received = create(AuditDetailsSchema, details)
    expect(auditDetails(received, accessEn.audit)).toBe(en)
    expect(auditDetails(received, accessZh.audit)).toBe(zh)
  },
)

it('an audit event without details has an empty text', () => {
  expect(auditDetails(undefined, accessEn.audit)).toBe('')
})

it.each<[string, AuditDetails, string]>([
  [
    'a role',
    { role: 'Admin', subjects: 'User \u202eann', reason: 'x\u202e' },
    'Admin for User ‹U+202E›ann · reason: “x‹U+202E›”',
  ],
  [
    'a lock',
    { user: '\u202eann', group: 'dev\u200b', tokenId: 't\n' },
    'User ‹U+202E›ann · Group dev‹U+200B› · Token t‹U+000A›',
  ],
])('the audit writes out what is not seen in the names of %s', (_, details, shown) => {
  expect(auditDetails(create(AuditDetailsSchema, details), accessEn.audit)).toBe(shown)
})

it('the audit names the place and the object of an event, and what became of it, without gaps', () => {
  const event = { instance: 'eu', cluster: 'm1', resource: 'pods', namespace: 'shop', name: 'web-0' }
  const details = create(AuditDetailsSchema, { dryRun: true })
  expect(placeOf(create(AuditEventSchema, { ...event, details }), accessEn.audit)).toBe(
    'eu · m1 · pods shop web-0 · Dry run: nothing was written',
  )
  expect(placeOf(create(AuditEventSchema, { instance: 'eu', name: 'ann' }), accessEn.audit)).toBe('eu · ann')
})

it('the message of the API has the same details', () => {
  const about = { workspace: 'shop', expiresAt, deliveredBy: 'gm', reason: 'x' }
  expect(messageOf({ role: 'Admin', subjects: 'User ann', ...about })).toBe(
    `Admin in the workspace shop for User ann, until ${expiresAt}, delivered by gm: x`,
  )
  expect(messageOf({ role: 'Viewer', subjects: 'User ann' })).toBe('Viewer for User ann')
  expect(messageOf({ dryRun: true, role: 'Viewer', subjects: 'User ann' })).toBe(
    'dry run: nothing is written',
  )
  expect(messageOf({ instance: 'eu', reason: 'x'.repeat(3_000) })).toHaveLength(2_048)
  const lock = { user: 'ann', group: 'dev', tokenId: 't1', instance: 'eu', expiresAt, reason: 'x' }
  expect(messageOf(lock)).toBe(`user ann, group dev, token t1, instance eu, until ${expiresAt}: x`)
})
