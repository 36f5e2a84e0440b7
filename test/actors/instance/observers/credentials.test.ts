import { BehaviorSubject, of, Subject } from 'rxjs'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type Actor, type AnyActorLogic, createActor, createMachine } from 'xstate'
import type { SecretSight } from '../../../../actors/host/secrets.js'
import type { InstanceDependencies } from '../../../../actors/instance/dependencies.js'
import { InstanceConnection } from '../../../../actors/instance/instance-connection.js'
import { followCredentials } from '../../../../actors/instance/observers/credentials.js'
import { kubeConnector } from '../../../../actors/kube/connector.js'
import type { OwnObserverEvent } from '../../../../machines/instance/events.js'
import type { Instance } from '../../../../manifests/instance.js'
import type { KubeApi } from '../../../../ports/kube-api.js'
import { instance } from '../../../machines/instance/facts.js'
import { waitFor } from '../../../patience.js'
import { silent } from '../../../silent.js'
import { kubeconfig } from '../../kube/a-kubeconfig.js'
import { json, scriptedServer } from '../../kube/scripted-server.js'
import { scriptedApi } from '../../scripted-api.js'

/** The Secret with this kubeconfig in it. */
const holding = (kubeconfig: string): SecretSight => ({
  secret: {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'alpha' },
    data: { kubeconfig: Buffer.from(kubeconfig).toString('base64') },
  },
})

describe('a Secret that changes while its connection is being created', () => {
  let secret: Subject<SecretSight>
  let cr: Instance
  let connection: InstanceConnection
  /** Makes the connection that was asked for, by kubeconfig. */
  let made: Map<string, () => void>
  let closed: string[]
  let told: OwnObserverEvent[]
  let actor: Actor<AnyActorLogic>

  /** Lets everything happen that waits for nothing. */
  const settled = () => new Promise(resolve => setImmediate(resolve))
  const seen = async (sight: SecretSight) => {
    secret.next(sight)
    await settled()
  }
  const make = async (kubeconfig: string) => {
    made.get(kubeconfig)?.()
    await settled()
  }

  beforeEach(async () => {
    secret = new Subject()
    cr = instance()
    connection = new InstanceConnection()
    made = new Map()
    closed = []
    told = []
    const connect = (kubeconfig: string) =>
      new Promise<KubeApi>(resolve => {
        const close = async () => void closed.push(kubeconfig)
        made.set(kubeconfig, () => resolve({ ...scriptedApi({}, `https://${kubeconfig}`), close }))
      })
    const logic = followCredentials({
      host: { instances: { follow: () => of(cr), get: () => cr }, secrets: { follow: () => secret } },
      connectionOf: () => connection,
      connector: { connect },
    } as unknown as InstanceDependencies)
    const parent = createMachine({
      invoke: { src: logic, input: { name: 'alpha' } },
      on: { '*': { actions: ({ event }) => told.push(event as OwnObserverEvent) } },
    })
    actor = createActor(parent).start()
    await seen(holding('first'))
    await make('first')
  })
  afterEach(async () => {
    actor.stop()
    await connection.close()
  })

  it('and changes back keeps its first connection, and the late one is closed', async () => {
    await seen(holding('second'))
    await seen(holding('first'))
    await make('second')
    expect(connection.current?.kubeconfig).toBe('first')
    expect(closed).toEqual(['second'])
    expect(told.at(-1)).toMatchObject({ credentials: { ok: true, endpoint: 'https://first' } })
  })

  it('gets the connection of its last content, whichever is created first', async () => {
    await seen(holding('second'))
    await seen(holding('third'))
    await make('third')
    await make('second')
    expect(connection.current?.kubeconfig).toBe('third')
    expect(closed).toEqual(['second'])
    expect(told.at(-1)).toMatchObject({ credentials: { ok: true, endpoint: 'https://third' } })
  })

  it('has no connection when it is deleted', async () => {
    await seen(holding('second'))
    await seen('absent')
    await make('second')
    expect(connection.current).toBeUndefined()
    expect(closed).toEqual(['second'])
    expect(told.at(-1)).toEqual({ type: 'controlPlane.contactLost' })
  })

  it('keeps the connection while it has no kubeconfig, and reports that', async () => {
    await seen({ secret: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'alpha' }, data: {} } })
    expect(connection.current?.kubeconfig).toBe('first')
    expect(closed).toEqual([])
    expect(told.at(-1)).toMatchObject({ credentials: { ok: false, failure: { reason: 'SecretKeyMissing' } } })
  })

  it('keeps the connection while its instance is being deleted, because RBAC inside must be removed', async () => {
    cr = instance({ deletionTimestamp: '2026-01-01T00:00:00Z' })
    await seen('absent')
    expect(connection.current?.kubeconfig).toBe('first')
    expect(told.at(-1)).toMatchObject({ credentials: { ok: false, failure: { reason: 'SecretNotFound' } } })
  })

  it('and is deleted just before its instance keeps a usable connection until that is closed', async () => {
    await seen('absent')
    expect(connection.current).toBeUndefined()
    expect(connection.last?.kubeconfig).toBe('first')
    await connection.close()
    expect(connection.last).toBeUndefined()
  })

  it('leaves no open connection when its instance is deleted', async () => {
    await seen(holding('second'))
    actor.stop()
    await connection.close()
    await make('second')
    expect(connection.current).toBeUndefined()
    expect(closed).toEqual(['first', 'second'])
  })
})

describe('the Secret that an Instance names', () => {
  it('is followed once while the Instance changes otherwise, and no more when another is named or the observer stops', () => {
    const named = (name: string, generation: number): Instance => {
      const cr = instance()
      const kubeconfigSecretRef = { namespace: 'somewhere', name }
      return { ...cr, metadata: { ...cr.metadata, generation }, spec: { kubeconfigSecretRef } } as Instance
    }
    const crs = new BehaviorSubject(named('one', 1))
    const sights = { one: new Subject<SecretSight>(), two: new Subject<SecretSight>() }
    const followed: string[] = []
    const connection = new InstanceConnection()
    const secrets = {
      follow: (_: string, name: keyof typeof sights) => {
        followed.push(name)
        return sights[name]
      },
    }
    const logic = followCredentials({
      host: { instances: { follow: () => crs, get: () => crs.value }, secrets },
      connectionOf: () => connection,
    } as unknown as InstanceDependencies)
    const actor = createActor(createMachine({ invoke: { src: logic, input: { name: 'alpha' } } })).start()
    crs.next(named('one', 2))
    expect(followed).toEqual(['one'])
    crs.next(named('two', 3))
    expect(followed).toEqual(['one', 'two'])
    expect([sights.one.observed, sights.two.observed]).toEqual([false, true])
    actor.stop()
    expect([crs.observed, sights.two.observed]).toEqual([false, false])
  })
})

describe('what the control plane says of impersonation', () => {
  /** An observer of a control plane whose next token is given when a test says so. */
  const observing = async () => {
    const asked: (() => void)[] = []
    const server = await scriptedServer(({ url }, response) => {
      if (!url.endsWith('/token')) return json(response, 200, {})
      asked.push(() => json(response, 200, { status: { token: 'minted' } }))
    })
    const connection = new InstanceConnection()
    const cr = instance()
    const sight = holding(kubeconfig({ server: server.url, user: { token: 'own' } }))
    const logic = followCredentials({
      host: { instances: { follow: () => of(cr), get: () => cr }, secrets: { follow: () => of(sight) } },
      connectionOf: () => connection,
      connector: kubeConnector(),
      log: silent,
    } as unknown as InstanceDependencies)
    const told: string[] = []
    const parent = createMachine({
      invoke: { src: logic, input: { name: 'alpha' } },
      on: { '*': { actions: ({ event }) => told.push(event.type) } },
    })
    const actor = createActor(parent).start()
    onTestFinished(async () => {
      actor.stop()
      await connection.close()
      await server.close()
    })
    await waitFor(() => expect(told).toEqual(['credentials.observed']))
    /** Sends as the proxy does; resolves when it has an answer. */
    const answered = new Promise<void>((resolve, reject) => {
      const request = { method: 'GET', path: '/version', headers: [], long: false, headTimeoutMs: 60_000 }
      connection.current?.api.upstream?.send(request, {
        ...{ head: () => undefined, data: () => true, end: resolve, failed: reject },
      })
    })
    await waitFor(() => expect(asked).toHaveLength(1))
    const give = async () => {
      asked.shift()?.()
      await answered
    }
    return { actor, give, told: () => told.slice(1) }
  }

  it('is reported when it has answered', async () => {
    const { give, told } = await observing()
    await give()
    expect(told()).toEqual(['impersonation.answered'])
  })

  it('is nobody’s concern when the observer has stopped meanwhile', async () => {
    const { actor, give, told } = await observing()
    actor.stop()
    await give()
    expect(told()).toEqual([])
  })
})

describe('a Secret that cannot be used', () => {
  const content = 's3cr3t-never-shown'
  let secret: Subject<SecretSight>
  let connection: InstanceConnection
  let told: OwnObserverEvent[]
  let actor: Actor<AnyActorLogic>

  const seen = async (sight: SecretSight) => {
    secret.next(sight)
    await new Promise(resolve => setImmediate(resolve))
    const last = told.findLast(({ type }) => type === 'credentials.observed')
    const credentials = last?.type === 'credentials.observed' ? last.credentials : undefined
    return credentials?.ok === false ? credentials.failure : undefined
  }
  const adopting = (key?: string) => {
    const cr = instance({
      spec: { kubeconfigSecretRef: { namespace: 'fleet', name: 'alpha', ...(key && { key }) } },
    })
    const logic = followCredentials({
      host: { instances: { follow: () => of(cr), get: () => cr }, secrets: { follow: () => secret } },
      connectionOf: () => connection,
      connector: kubeConnector(),
    } as unknown as InstanceDependencies)
    const parent = createMachine({
      invoke: { src: logic, input: { name: 'alpha' } },
      on: { '*': { actions: ({ event }) => told.push(event as OwnObserverEvent) } },
    })
    actor = createActor(parent).start()
  }

  beforeEach(() => {
    secret = new Subject()
    connection = new InstanceConnection()
    told = []
  })
  afterEach(async () => {
    actor.stop()
    await connection.close()
  })

  it.each<[string, string, string]>([
    ['no YAML', `token: ${content}\n  bad: indent`, 'not valid YAML (line 2)'],
    ['nothing', '""', 'empty'],
    ['no kubeconfig', content, 'not a kubeconfig: Invalid input: expected object, received string'],
    [
      'a context that it does not define',
      `current-context: ${content}`,
      'the current context is referred to but not defined',
    ],
    [
      'a server that is no URL',
      kubeconfig({ server: content }).replaceAll('"c"', `"${content}"`),
      'the cluster of the current context: server is not a URL',
    ],
    [
      'half a client certificate',
      kubeconfig({
        user: { 'client-key-data': Buffer.from(`-----BEGIN ${content}`).toString('base64') },
      }).replaceAll('"u"', `"${content}"`),
      'the user of the current context: client-certificate and client-key go together',
    ],
    [
      'a field of another type under a key that its writer chose',
      kubeconfig({ user: { 'as-user-extra': { [content]: 7 } } }),
      'users.0.user.as-user-extra: Invalid input: expected array, received number',
    ],
    [
      'the name of a local file',
      kubeconfig({ user: { tokenFile: `/${content}` } }),
      'the user of the current context: tokenFile: names a local file, which is not allowed here; embed the data',
    ],
  ])(
    'because it holds %s is reported with its key, and without its content',
    async (_what, text, message) => {
      adopting()
      const failure = await seen(holding(text))
      expect(failure).toMatchObject({
        reason: 'KubeconfigInvalid',
        stage: 'credentials',
        message: `Secret fleet/alpha, key 'kubeconfig': ${message}`,
      })
      expect(JSON.stringify(told)).not.toContain(content)
    },
  )

  it('is reported with the key that the Instance names', async () => {
    adopting('admin.conf')
    expect(await seen(holding('42'))).toMatchObject({
      reason: 'SecretKeyMissing',
      message: "Secret fleet/alpha has no key 'admin.conf'; it has kubeconfig",
    })
  })

  it('keeps the existing connection and its requests', async () => {
    adopting()
    await seen(holding(kubeconfig({ server: 'https://127.0.0.1:1' })))
    const { current } = connection
    expect(current).toBeDefined()
    expect(await seen(holding('42'))).toMatchObject({ reason: 'KubeconfigInvalid' })
    expect(connection.current).toBe(current)
    expect(told.map(({ type }) => type)).toEqual(['credentials.observed', 'credentials.observed'])
  })

  it('is not read again while its namespace cannot be watched, and keeps the existing connection', async () => {
    adopting()
    await seen(holding(kubeconfig({ server: 'https://127.0.0.1:1' })))
    const { current } = connection
    const failure = { reason: 'Forbidden', stage: 'credentials', message: 'secrets is forbidden' } as const
    expect(await seen({ failure })).toEqual({
      ...failure,
      message: 'Secret fleet/alpha: secrets is forbidden',
    })
    expect(connection.current).toBe(current)
  })
})
