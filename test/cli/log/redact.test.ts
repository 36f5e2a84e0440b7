import { describe, expect, it } from 'vitest'
import { createLog } from '../../../cli/log/log.js'
import { redacted } from '../../../cli/log/redact.js'

describe('a log line', () => {
  it('hides the value of every key that names a secret, at any depth', () => {
    const fields = {
      token: 'a',
      authorization: 'Bearer a',
      headers: { Authorization: 'Bearer a', Cookie: 'a' },
      secret: { data: { kubeconfig: 'a' }, stringData: { x: 'a' } },
      users: [{ user: { 'client-key-data': 'a', password: 'a', idToken: 'a' } }],
      pediaCluster: { spec: { kubeconfig: 'a', keyData: 'a', tokenData: 'a' } },
      'tls.key': 'a',
    }
    expect(JSON.stringify(redacted(fields))).not.toContain('"a"')
    expect(JSON.stringify(redacted(fields))).not.toContain('Bearer')
  })

  it('keeps references to secrets, and keys that only contain such a word', () => {
    const fields = {
      kubeconfigSecretRef: { namespace: 'n', name: 'n' },
      tokenFile: '/a',
      secretName: 'b',
      key: 'c',
      token: undefined,
    }
    expect(redacted(fields)).toEqual(fields)
  })

  it('prints an error with all its causes', () => {
    const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
    expect(redacted({ error: new TypeError('fetch failed', { cause }) })).toEqual({
      error: {
        name: 'TypeError',
        message: 'fetch failed',
        cause: { name: 'Error', message: 'connect ECONNREFUSED', code: 'ECONNREFUSED' },
      },
    })
  })

  it('survives a circular reference', () => {
    const fields: Record<string, unknown> = {}
    fields.self = fields
    expect(JSON.stringify(redacted(fields))).toContain('[deep]')
  })
})

describe('the log', () => {
  const written = (isTTY: boolean, logFormat: 'auto' | 'text' | 'json' = 'auto'): string[] => {
    const lines: string[] = []
    const log = createLog({ logLevel: 'info', logFormat }, { isTTY, write: text => lines.push(text) })
    log.debug({}, 'not heard')
    log.child({ instance: 'eu', token: 'hush' }).info({ attempt: 2, cause: 'two words' }, 'connected')
    return lines
  }

  it('is JSON for programs, with secrets of child fields removed', () => {
    const [line, ...more] = written(false)
    expect(more).toEqual([])
    expect(JSON.parse(line!)).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      instance: 'eu',
      token: '[redacted]',
      attempt: 2,
      cause: 'two words',
      msg: 'connected',
    })
  })

  it('is one line of text for people', () => {
    expect(written(true)).toEqual([
      expect.stringMatching(
        /^\d\d:\d\d:\d\d {3}connected {2}instance=eu token=\[redacted\] attempt=2 cause="two words"\n$/,
      ),
    ])
    expect(written(false, 'text')).toHaveLength(1)
  })
})
