import { describe, expect, it } from 'vitest'
import {
  ConfigError,
  flagOf,
  loadConfig,
  type Sources,
  settingsOf,
  variableOf,
} from '../../../cli/settings/load-config.js'
import { type CommandName, defaults, type SettingName, settings } from '../../../config.js'

const sources = (given: Partial<Sources> & { file?: string } = {}): Sources => ({
  flags: given.flags ?? {},
  environment: given.environment ?? {},
  readFile: path => {
    if (given.file === undefined) throw new Error(`ENOENT: no such file or directory, open '${path}'`)
    return given.file
  },
})

const problems = (command: CommandName, given: Parameters<typeof sources>[0]): readonly string[] => {
  try {
    loadConfig(command, sources(given))
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

describe('settings', () => {
  it('are the defaults when nothing is set', () => {
    expect(loadConfig('serve', sources())).toEqual(defaults('serve'))
  })

  it('of a flag override those of the environment, which override those of the file', () => {
    const file = 'leaseDurationMs: 20000\nrenewDeadlineMs: 12000\nretryPeriodMs: 3000\n'
    const environment = { KAIRSHIP_RENEW_DEADLINE_MS: '13000', KAIRSHIP_RETRY_PERIOD_MS: '3500' }
    const flags = { config: 'kairship.yaml', retryPeriodMs: '4000' }
    expect(loadConfig('serve', sources({ flags, environment, file }))).toMatchObject({
      leaseDurationMs: 20_000,
      renewDeadlineMs: 13_000,
      retryPeriodMs: 4_000,
    })
  })

  it('of other commands are ignored, so that one environment serves all commands', () => {
    const environment = { KAIRSHIP_INSTANCES: 'many', KAIRSHIP_PORT: 'tcp://10.0.0.1:443' }
    expect(loadConfig('get instances', sources({ environment }))).toEqual(defaults('get instances'))
    expect(problems('playground', { environment })).toEqual([
      'KAIRSHIP_INSTANCES must be a whole number from 0 to 10000, got "many"',
    ])
  })

  it('in empty variables are unset', () => {
    expect(loadConfig('serve', sources({ environment: { KAIRSHIP_LOG_LEVEL: '' } })).logLevel).toBe('info')
  })

  it('may take the name of the file from the environment', () => {
    const environment = { KAIRSHIP_CONFIG: 'kairship.yaml' }
    expect(loadConfig('serve', sources({ environment, file: 'logLevel: debug' })).logLevel).toBe('debug')
  })

  it('of an empty file are the defaults', () => {
    expect(loadConfig('serve', sources({ flags: { config: 'c.yaml' }, file: '# nothing\n' }))).toEqual({
      ...defaults('serve'),
      config: 'c.yaml',
    })
  })

  it('that are switches accept true and false', () => {
    const environment = { KAIRSHIP_ONCE: 'true' }
    expect(loadConfig('playground', sources({ environment })).once).toBe(true)
    expect(problems('playground', { environment: { KAIRSHIP_ONCE: 'yes' } })).toEqual([
      'KAIRSHIP_ONCE must be true or false, got "yes"',
    ])
  })
})

describe('wrong settings are refused with the setting’s name and the allowed values', () => {
  const refused: [
    what: string,
    command: CommandName,
    given: Parameters<typeof sources>[0],
    message: RegExp,
  ][] = [
    [
      'a word for a number',
      'serve',
      { flags: { leaseDurationMs: '15s' } },
      /^--lease-duration-ms must be a whole number of milliseconds from 1000 to 3600000, got "15s"$/,
    ],
    [
      'a time that is none',
      'lock',
      { flags: { lockFor: '0s' } },
      /^--for must be a length of time such as 90s, 5m or 1h30m, got "0s"$/,
    ],
    ['a fraction', 'serve', { flags: { retryPeriodMs: '1.5' } }, /^--retry-period-ms must be a whole number/],
    [
      'a number out of range',
      'playground',
      { flags: { members: '101' } },
      /^--members must be .* from 0 to 100, got "101"$/,
    ],
    [
      'an unknown word',
      'serve',
      { environment: { KAIRSHIP_LOG_LEVEL: 'loud' } },
      /^KAIRSHIP_LOG_LEVEL must be one of debug, info, warn, error, silent, got "loud"$/,
    ],
    [
      'a port above the highest',
      'serve',
      { flags: { listen: '127.0.0.1:65536' } },
      /^--listen must be host:port.* up to 65535.*, got "127.0.0.1:65536"$/,
    ],
    ['an address without a port', 'serve', { flags: { listen: 'localhost' } }, /^--listen must be host:port/],
    [
      'plain HTTP for a token',
      'get instances',
      { flags: { server: 'http://a:1' } },
      /^--server must be an https:/,
    ],
    [
      'a list in the file',
      'serve',
      { flags: { config: 'c.yaml' }, file: 'identity: [a]' },
      /^c\.yaml: identity must be 1 to 253/,
    ],
    [
      'an unknown key',
      'serve',
      { flags: { config: 'c.yaml' }, file: 'leaseDuration: 1' },
      /^c\.yaml: unknown setting "leaseDuration"; known are logLevel, .*leaseDurationMs/,
    ],
    [
      'a secret in the file',
      'kubeconfig',
      { flags: { config: 'c.yaml' }, file: 'token: abc' },
      /^c\.yaml: token cannot be set in a file; use KAIRSHIP_TOKEN$/,
    ],
    [
      'a file that is a list',
      'serve',
      { flags: { config: 'c.yaml' }, file: '- a' },
      /^c\.yaml must hold settings/,
    ],
    [
      'a file that is not YAML',
      'serve',
      { flags: { config: 'c.yaml' }, file: 'a: [' },
      /^c\.yaml is not YAML: /,
    ],
    ['a file that is not there', 'serve', { flags: { config: 'c.yaml' } }, /^c\.yaml cannot be read: ENOENT/],
    [
      'a lease shorter than its renewal',
      'serve',
      { flags: { leaseDurationMs: '10000' } },
      /^leaseDurationMs \(10000\) must be greater than renewDeadlineMs \(10000\)/,
    ],
    [
      'a renewal that leaves no retry',
      'serve',
      { flags: { retryPeriodMs: '9000' } },
      /^renewDeadlineMs \(10000\) must be greater than 1\.2 × retryPeriodMs \(9000\)/,
    ],
    [
      'a certificate without its key',
      'serve',
      { flags: { tlsCertFile: 'a.crt' } },
      /^tlsCertFile and tlsKeyFile must be set together$/,
    ],
    [
      'two tokens',
      'kubeconfig',
      { flags: { tokenFile: 'a' }, environment: { KAIRSHIP_TOKEN: 'b' } },
      /^token and tokenFile exclude each other$/,
    ],
    [
      'a metrics credential without a metrics service',
      'serve',
      { flags: { metricsCredentialsFile: 'a' } },
      /^metricsCredentialsFile needs metricsUrl$/,
    ],
    [
      'a metrics credential that others on the way could read',
      'serve',
      { flags: { metricsCredentialsFile: 'a', metricsUrl: 'http://127.0.0.1.example/' } },
      /^metricsCredentialsFile needs a metricsUrl with https/,
    ],
    [
      'a metrics URL with a name and a password in it',
      'serve',
      { flags: { metricsUrl: 'https://a:b@prometheus.example' } },
      /^--metrics-url must be an https/,
    ],
    [
      'a label that Prometheus keeps for itself',
      'serve',
      { flags: { metricsInstanceLabel: '__name__' } },
      /^--metrics-instance-label must be a label name/,
    ],
  ]
  for (const [what, command, given, message] of refused)
    it(what, () => {
      const found = problems(command, given)
      expect(found).toHaveLength(1)
      expect(found[0]).toMatch(message)
    })

  it('in one error for all of them', () => {
    expect(
      problems('serve', { flags: { logLevel: 'x', listen: 'y' }, environment: { KAIRSHIP_NAMESPACE: 'Z' } }),
    ).toHaveLength(3)
  })
})

describe('every setting', () => {
  const names = Object.keys(settings) as SettingName[]

  it('has a default that its own schema accepts', () => {
    for (const name of names)
      expect(settings[name].kind.schema.safeParse(settings[name].default).success, name).toBe(true)
  })

  it('has a unit in its name when it is a time', () => {
    for (const name of names)
      expect(settings[name].kind.placeholder === 'milliseconds', name).toBe(name.endsWith('Ms'))
  })

  it('that is a secret has no flag and no key in the file', () => {
    expect(
      names.filter(name => !('from' in settings[name])).filter(name => /token$|password|secret/i.test(name)),
    ).toEqual([])
    expect(settings.token.from).toEqual(['environment'])
  })

  it('has a flag and a variable of its own', () => {
    for (const command of settings.config.commands) {
      const own = settingsOf(command)
      expect(new Set(own.map(flagOf)).size, command).toBe(own.length)
    }
    expect(new Set(names.map(variableOf)).size).toBe(names.length)
    expect([flagOf('leaseDurationMs'), variableOf('leaseDurationMs')]).toEqual([
      '--lease-duration-ms',
      'KAIRSHIP_LEASE_DURATION_MS',
    ])
  })
})
