import { describe, expect, it } from 'vitest'
import { renderClientConfig, resolveClient } from '../../cli/client-config.js'
import { CommandError } from '../../cli/exit-code.js'
import { defaults } from '../../config.js'

const config = defaults('get instances')
const disk = (files: Record<string, string>) => (path: string) => files[path]
const paths = ['here/client.yaml', 'home/client.yaml']
const written = { server: 'https://127.0.0.1:1', token: 'of-the-file', certificateAuthorityData: 'PEM' }

describe('which Kairship is asked', () => {
  it('is the one of the first client config found', () => {
    const files = {
      'home/client.yaml': 'server: https://home',
      'here/client.yaml': renderClientConfig(written),
    }
    expect(resolveClient(config, disk(files), paths)).toEqual(written)
    expect(resolveClient(config, disk({ 'home/client.yaml': files['home/client.yaml'] }), paths)).toEqual({
      server: 'https://home',
    })
  })

  it('is the one that the settings name, with what they name', () => {
    const given = { ...config, server: 'https://other/', tokenFile: 't', certificateAuthority: 'ca' }
    expect(resolveClient(given, disk({ t: 'of-the-flag\n', ca: 'CA' }), paths)).toEqual({
      server: 'https://other',
      token: 'of-the-flag',
      certificateAuthorityData: 'CA',
    })
  })

  it('never gets the token of another server', () => {
    const files = { 'here/client.yaml': renderClientConfig(written) }
    expect(resolveClient({ ...config, server: 'https://other' }, disk(files), paths)).toEqual({
      server: 'https://other',
    })
  })

  const refused: [
    what: string,
    given: Partial<typeof config>,
    files: Record<string, string>,
    message: RegExp,
  ][] = [
    [
      'is nobody known',
      {},
      {},
      /^no Kairship to ask: start one .* \(looked for here\/client.yaml and home\/client.yaml\)$/,
    ],
    ['a named file that is not there', { clientConfig: 'x' }, {}, /^x does not exist$/],
    ['a file that is not YAML', { clientConfig: 'x' }, { x: '{' }, /^x is not YAML$/],
    [
      'a file with another key',
      { clientConfig: 'x' },
      { x: 'server: https://a\nuser: me' },
      /^x is not a client config: .*user/s,
    ],
    [
      'a token file that is not there',
      { server: 'https://a', tokenFile: 't' },
      {},
      /^--token-file: t does not exist$/,
    ],
  ]
  for (const [what, given, files, message] of refused)
    it(`is refused: ${what}`, () => {
      const resolve = () => resolveClient({ ...config, ...given }, disk(files), paths)
      expect(resolve).toThrow(CommandError)
      expect(resolve).toThrow(message)
    })
})
