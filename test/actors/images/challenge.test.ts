import { describe, expect, it } from 'vitest'
import { challengeOf } from '../../../actors/images/challenge.js'

const realm = 'https://auth.test/token'

describe('a challenge of a registry', () => {
  it.each([
    ['Basic', 'Basic realm="x"', { scheme: 'basic' }],
    ['Basic in other letters, without a realm', 'bASIC', { scheme: 'basic' }],
    ['a token', `Bearer realm="${realm}"`, { scheme: 'bearer', realm }],
    [
      'a token for a service and a scope',
      `Bearer realm="${realm}",service="r",scope="repository:a:pull"`,
      { scheme: 'bearer', realm, service: 'r', scope: 'repository:a:pull' },
    ],
    [
      'a token, in other letters',
      `bearer REALM="${realm}", Service="r"`,
      { scheme: 'bearer', realm, service: 'r' },
    ],
    ['a token after another scheme', ['Negotiate', `Bearer realm="${realm}"`], { scheme: 'bearer', realm }],
    ['a token after one without a realm', ['Bearer', `Bearer realm="${realm}"`], { scheme: 'bearer', realm }],
  ])('for %s is read', (_, header, challenge) => {
    expect(challengeOf(header)).toEqual(challenge)
  })

  it.each([
    ['nothing', undefined],
    ['an empty header', ''],
    ['another scheme', 'Digest realm="x"'],
    ['a token without a realm', 'Bearer service="r"'],
    ['a token with an empty realm', 'Bearer realm=""'],
    ['more than 4,096 characters', `Basic ${'x'.repeat(4_096)}`],
  ])('for %s is none that Kairship answers', (_, header) => {
    expect(challengeOf(header)).toBeUndefined()
  })
})
