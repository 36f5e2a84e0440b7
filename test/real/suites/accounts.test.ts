import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { ProxyClient } from '../../scenarios/support/proxy-client.js'
import { ApiClient } from '../api-client.js'
import { eventually } from '../probe.js'
import { type RealProxy, startRealProxy } from '../proxy.js'
import { callerNamed, tokenOf } from '../robot.js'

const caller = callerNamed('leaves')
const ACCOUNT = `/api/v1/namespaces/default/serviceaccounts/${caller.name}`
const BINDING = `/apis/kairship.io/v1alpha1/instancerolebindings/${caller.name}`
const CONFIG_MAPS = '/api/v1/configmaps'

describe('a ServiceAccount of a real host', () => {
  let proxy: RealProxy
  let host: ApiClient
  let client: ProxyClient
  let token: string

  beforeAll(async () => {
    const stack = inject('stack')
    proxy = await startRealProxy(stack, 'accounts')
    host = new ApiClient(stack.host)
    await host.apply({
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: caller.name, namespace: 'default' },
    })
    await host.apply({
      apiVersion: 'kairship.io/v1alpha1',
      kind: 'InstanceRoleBinding',
      metadata: { name: caller.name },
      spec: {
        instance: proxy.instance,
        role: 'Editor',
        subjects: [{ kind: 'ServiceAccount', namespace: 'default', name: caller.name }],
      },
    })
    token = await tokenOf(host, caller)
    const robots = proxy.client()
    client = new ProxyClient({ ...robots.at, token })
    robots.close()
    await eventually(async () => (await client.ask('GET', CONFIG_MAPS)).status === 200, 'the account let in')
  })
  afterAll(async () => {
    client?.close()
    await host?.send('DELETE', BINDING)
    await host?.send('DELETE', ACCOUNT)
    await proxy?.close()
    await host?.close()
  })

  // kube-apiserver accepts its token for ten more seconds, so the words say that the watch on accounts knew of it.
  it('that is deleted has its watch ended, and its next request refused', async () => {
    const request = client.begin('GET', `${CONFIG_MAPS}?watch=true`)
    request.end()
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    let said = ''
    response.setEncoding('utf8').on('data', text => (said += text))
    await host.must('DELETE', ACCOUNT)
    await once(response, 'close')
    const last = JSON.parse(said.trim().split('\n').at(-1) ?? '')
    expect(last).toMatchObject({
      type: 'ERROR',
      object: { code: 401, message: 'the ServiceAccount of the token was deleted' },
    })
    expect((await client.ask('GET', CONFIG_MAPS)).status).toBe(401)
  })
})
