import { describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { proxyKubeconfig } from '../../../cli/client/proxy-kubeconfig.js'

const answered = stringify({
  'current-context': 'eu',
  clusters: [
    {
      name: 'eu',
      cluster: { server: 'https://0.0.0.0:8443/apis/x/eu/proxy', 'certificate-authority-data': 'b2xk' },
    },
  ],
  users: [{ name: 'kairship', user: {} }],
})

describe('a printed kubeconfig', () => {
  it('has the server, authority and token of the command', () => {
    const config = parse(
      proxyKubeconfig(answered, {
        server: 'https://kairship.test',
        certificateAuthorityData: 'PEM',
        token: 'abc',
      }),
    )
    expect(config.clusters).toEqual([
      {
        name: 'eu',
        cluster: {
          server: 'https://kairship.test/apis/x/eu/proxy',
          'certificate-authority-data': Buffer.from('PEM').toString('base64'),
        },
      },
    ])
    expect(config.users).toEqual([{ name: 'kairship', user: { token: 'abc' } }])
    expect(config['current-context']).toBe('eu')
  })

  it('has no field that the command did not have', () => {
    const config = parse(proxyKubeconfig(answered, { server: 'https://kairship.test' }))
    expect(config.clusters[0].cluster).toEqual({ server: 'https://kairship.test/apis/x/eu/proxy' })
    expect(config.users[0].user).toEqual({})
  })
})
