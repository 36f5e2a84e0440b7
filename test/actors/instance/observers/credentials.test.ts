import { of, Subject } from 'rxjs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Actor, type AnyActorLogic, createActor, createMachine } from 'xstate'
import type { SecretSight } from '../../../../actors/host/secrets.js'
import type { InstanceDependencies } from '../../../../actors/instance/dependencies.js'
import { InstanceConnection } from '../../../../actors/instance/instance-connection.js'
import { followCredentials } from '../../../../actors/instance/observers/credentials.js'
import type { OwnObserverEvent } from '../../../../machines/instance/events.js'
import type { Instance } from '../../../../manifests/instance.js'
import type { KubeApi } from '../../../../ports/kube-api.js'
import { instance } from '../../../machines/instance/facts.js'
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

describe('a Secret that changes while a connection is being made of it', () => {
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

  it('and back again keeps the connection that it had, and the one that comes too late is closed', async () => {
    await seen(holding('second'))
    await seen(holding('first'))
    await make('second')
    expect(connection.current?.kubeconfig).toBe('first')
    expect(closed).toEqual(['second'])
    expect(told.at(-1)).toMatchObject({ credentials: { ok: true, endpoint: 'https://first' } })
  })

  it('becomes the connection of its last content, whichever was made first', async () => {
    await seen(holding('second'))
    await seen(holding('third'))
    await make('third')
    await make('second')
    expect(connection.current?.kubeconfig).toBe('third')
    expect(closed).toEqual(['second'])
    expect(told.at(-1)).toMatchObject({ credentials: { ok: true, endpoint: 'https://third' } })
  })

  it('becomes none when it is taken away', async () => {
    await seen(holding('second'))
    await seen('absent')
    await make('second')
    expect(connection.current).toBeUndefined()
    expect(closed).toEqual(['second'])
    expect(told.at(-1)).toEqual({ type: 'controlPlane.contactLost' })
  })

  it('keeps the connection while its instance is being deleted: what is ours inside must be removed', async () => {
    cr = instance({ deletionTimestamp: '2026-01-01T00:00:00Z' })
    await seen('absent')
    expect(connection.current?.kubeconfig).toBe('first')
    expect(told.at(-1)).toMatchObject({ credentials: { ok: false, failure: { reason: 'SecretNotFound' } } })
  })

  it('and is taken away just before its instance can still be used until it is closed', async () => {
    await seen('absent')
    expect(connection.current).toBeUndefined()
    expect(connection.last?.kubeconfig).toBe('first')
    await connection.close()
    expect(connection.last).toBeUndefined()
  })

  it('leaves no connection behind when its instance goes', async () => {
    await seen(holding('second'))
    actor.stop()
    await connection.close()
    await make('second')
    expect(connection.current).toBeUndefined()
    expect(closed).toEqual(['first', 'second'])
  })
})
