import { expect, it } from 'vitest'
import { parseSecrets } from '../../../actors/global-management/webhook-secrets.js'

const line = (byte: number, length = 24) => `whsec_${Buffer.alloc(length, byte).toString('base64')}`

it('secrets are read a line each, in order, without blanks and comments', () => {
  const secrets = parseSecrets(`# the one in use\n ${line(1)} \r\n\n${line(2, 32)}\n`, 'file')
  expect(secrets).toEqual([Buffer.alloc(24, 1), Buffer.alloc(32, 2)])
})

it('a file may have eight secrets', () => {
  expect(parseSecrets(Array(8).fill(line(1)).join('\n'), 'file')).toHaveLength(8)
})

it.each([
  ['nothing', ''],
  ['a comment alone', '# whsec_'],
  ['a secret that is too short', line(1, 23)],
  ['one good secret and one that is none', `${line(1)}\nhunter2`],
  ['no base64', 'whsec_!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!'],
  ['too many', Array(9).fill(line(1)).join('\n')],
])('a file with %s is refused, and nothing of it is said', (_, text) => {
  const refused = () => parseSecrets(text, 'the setting: the file')
  expect(refused).toThrow(/^the setting: the file must hold 1 to 8 lines/)
  expect(refused).not.toThrow(/hunter2|whsec_[^<]/)
})
