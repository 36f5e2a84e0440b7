import { describe, expect, it } from 'vitest'
import { renderClientConfig, resolveClient } from '../../../cli/client/client-config.js'
import { CommandError } from '../../../cli/exit-code.js'
import { defaults } from '../../../config.js'

const config = defaults('get instances')
const disk = (files: Record<string, string>) => (path: string) => files[path]
const authority = '-----BEGIN CERTIFICATE-----\nMII=\n-----END CERTIFICATE-----\n'
const paths = ['here/client.yaml', 'home/client.yaml'] as const
const written = { server: 'https://127.0.0.1:1', token: 'of-the-file', certificateAuthorityData: 'PEM' }

describe('the server that a command calls', () => {
  it('is named by the first client config found', () => {
    const files = {
      'home/client.yaml': 'server: https://home',
      'here/client.yaml': renderClientConfig(written),
    }
    expect(resolveClient(config, disk(files), paths)).toEqual({
      ...written,
      namedBy: 'here/client.yaml',
      isServerFound: true,
      isTokenFound: true,
    })
    expect(resolveClient(config, disk({ 'home/client.yaml': files['home/client.yaml'] }), paths)).toEqual({
      server: 'https://home',
      namedBy: 'home/client.yaml',
    })
  })

  it('is that of the last login, with its authority, where nothing else names one', () => {
    const login = () => ({ server: 'https://login', certificateAuthorityData: 'PEM' })
    expect(resolveClient(config, disk({}), paths, login)).toEqual(login())
    const files = { 'home/client.yaml': 'server: https://home' }
    expect(resolveClient(config, disk(files), paths, login).server).toBe('https://home')
    const given = { ...config, server: 'https://other' }
    expect(resolveClient(given, disk({}), paths, login)).toEqual({ server: 'https://other' })
  })

  it('is named by the settings, with their token and authority', () => {
    const given = { ...config, server: 'https://other/', tokenFile: 't', certificateAuthority: 'ca' }
    expect(resolveClient(given, disk({ t: 'of-the-flag\n', ca: authority }), paths)).toEqual({
      server: 'https://other',
      token: 'of-the-flag',
      certificateAuthorityData: authority,
    })
  })

  it.each(['', 'rubbish', '-----BEGIN PRIVATE KEY-----'])(
    'is not called with an authority file without a certificate: %j',
    text => {
      const given = { ...config, server: 'https://other', certificateAuthority: 'ca' }
      expect(() => resolveClient(given, disk({ ca: text }), paths)).toThrow(
        '--certificate-authority: ca holds no certificate in PEM form (-----BEGIN CERTIFICATE-----)',
      )
    },
  )

  it('never gets the token of another server', () => {
    const files = { 'here/client.yaml': renderClientConfig(written) }
    expect(resolveClient({ ...config, server: 'https://other' }, disk(files), paths)).toEqual({
      server: 'https://other',
    })
  })

  describe('when only a file in the working folder names the server', () => {
    const foreign = { 'here/client.yaml': 'server: https://foreign.example\n' }
    const withToken = { 'here/client.yaml': 'server: https://foreign.example\ntoken: of-the-folder\n' }

    it.each([
      ['KAIRSHIP_TOKEN', { token: 'production' }, foreign],
      ['--token-file', { tokenFile: 't' }, foreign],
      ['--token-file', { tokenFile: 't' }, withToken],
    ])('it never gets the token of %s', (name, given, files) => {
      const resolve = () => resolveClient({ ...config, ...given }, disk({ ...files, t: 'production' }), paths)
      expect(resolve).toThrow(CommandError)
      expect(resolve).toThrow(
        new RegExp(
          `^${name} is not sent to https://foreign\\.example, which here/client\\.yaml names: .*--server.*--client-config$`,
        ),
      )
    })

    it('it gets the token of the same file, and the user reads that the one of the environment is not used', () => {
      const found = resolveClient({ ...config, token: 'production' }, disk(withToken), paths)
      expect(found.token).toBe('of-the-folder')
      expect(found.note).toMatch(/^KAIRSHIP_TOKEN is not used: here\/client\.yaml .* --client-config\.$/)
      const same = resolveClient({ ...config, token: 'of-the-folder' }, disk(withToken), paths)
      expect(same).not.toHaveProperty('note')
    })

    it.each([
      ['the caller names the server', { server: 'https://foreign.example' }, foreign, {}],
      [
        'the caller names the file',
        { clientConfig: 'here/client.yaml' },
        foreign,
        { namedBy: 'here/client.yaml' },
      ],
      [
        'the file is in the home folder',
        {},
        { 'home/client.yaml': 'server: https://foreign.example\n' },
        { namedBy: 'home/client.yaml' },
      ],
    ])('it gets the token of the environment once %s', (_when, given, files, named) => {
      expect(resolveClient({ ...config, ...given, token: 'production' }, disk(files), paths)).toEqual({
        server: 'https://foreign.example',
        token: 'production',
        ...named,
      })
    })

    it('it is trusted as in the home folder when the working folder is the home folder', () => {
      const home = ['home/client.yaml', 'home/client.yaml'] as const
      const files = { 'home/client.yaml': 'server: https://mine\n' }
      expect(resolveClient({ ...config, token: 'mine' }, disk(files), home).token).toBe('mine')
    })
  })

  const refused: [
    what: string,
    given: Partial<typeof config>,
    files: Record<string, string>,
    message: RegExp,
  ][] = [
    [
      'no server known',
      {},
      {},
      /^no Kairship found: log in to one .* start one .* \(looked for here\/client.yaml and home\/client.yaml\)$/,
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
    it(`the file is refused: ${what}`, () => {
      const resolve = () => resolveClient({ ...config, ...given }, disk(files), paths)
      expect(resolve).toThrow(CommandError)
      expect(resolve).toThrow(message)
    })
})
