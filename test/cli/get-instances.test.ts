import { describe, expect, it } from 'vitest'
import type { Client } from '../../cli/client.js'
import { describeInstance } from '../../cli/describe-instance.js'
import { CommandError, ExitCode } from '../../cli/exit-code.js'
import { getInstances } from '../../cli/get-instances.js'
import { type Config, defaults } from '../../config.js'

const eu = {
  metadata: { name: 'eu', creationTimestamp: '1000' },
  spec: { alias: 'Europe', kubeconfigSecretRef: { namespace: 'kairship-system', name: 'eu' } },
  status: {
    state: 'INSTANCE_STATE_RUNNING',
    phase: 'ready',
    since: '1970-01-01T00:00:31Z',
    karmadaVersion: 'v1.18.2',
    kubernetesVersion: 'v1.36.2',
    endpoint: 'https://10.0.0.1:5443',
    conditions: [
      {
        type: 'Ready',
        status: 'True',
        reason: 'AllHold',
        message: '',
        lastTransitionTime: '1970-01-01T00:00:31Z',
      },
    ],
    summary: { clusterSummary: { totalNum: 2, readyNum: 1 }, nodeSummary: { totalNum: 6, readyNum: 6 } },
  },
  fieldOfTomorrow: { any: 'thing' },
}
const us = {
  metadata: { name: 'us', creationTimestamp: '61000' },
  status: {
    state: 'INSTANCE_STATE_INPROCESS',
    conditions: [{ type: 'Ready', status: 'False', reason: 'No', message: 'no Secret kairship-system/us' }],
  },
}

async function* nothing(): AsyncGenerator<unknown> {
  yield* []
}

type Scripted = Partial<Omit<Client, 'close'>>

function asking(client: Scripted, signal = new AbortController().signal) {
  const out: string[] = []
  const err: string[] = []
  const unasked = () => Promise.reject(new Error('not asked for'))
  return {
    out,
    err,
    client: {
      get: unasked,
      post: unasked,
      delete: unasked,
      stream: nothing,
      close: async () => undefined,
      ...client,
    } as Client,
    signal,
    now: () => 91_000,
    pause: async () => undefined,
  }
}
const run = async (it: ReturnType<typeof asking>, given: Partial<Config> = {}, names: string[] = []) => {
  const exitCode = await getInstances(
    { ...it, out: text => it.out.push(text), err: text => it.err.push(text) },
    { ...defaults('get instances'), ...given },
    names,
  )
  return { exitCode, out: it.out.join(''), err: it.err.join('') }
}
const list = { get: async () => ({ items: [eu, us] }) }

describe('get instances', () => {
  it('is a table with a dash for what is not known', async () => {
    expect((await run(asking(list))).out).toBe(
      [
        'NAME   STATE       KARMADA   KUBERNETES   CLUSTERS   AGE',
        'eu     ready       v1.18.2   v1.36.2      1/2        90s',
        'us     INPROCESS   -         -            -          30s',
        '',
      ].join('\n'),
    )
  })

  it('shows the cause of trouble when wide', async () => {
    const { out } = await run(asking(list), { output: 'wide' })
    expect(out).toContain('6/6     https://10.0.0.1:5443   -')
    expect(out).toContain('no Secret kairship-system/us')
  })

  it('is a List of Kubernetes objects as JSON, fields this program does not know included', async () => {
    const { status, fieldOfTomorrow } = eu
    expect(JSON.parse((await run(asking(list), { output: 'json' })).out)).toEqual({
      apiVersion: 'v1',
      kind: 'List',
      metadata: {},
      items: [
        {
          apiVersion: 'kairship.io/v1alpha1',
          kind: 'Instance',
          metadata: { name: 'eu', creationTimestamp: '1970-01-01T00:00:01Z' },
          spec: eu.spec,
          status,
          fieldOfTomorrow,
        },
        {
          apiVersion: 'kairship.io/v1alpha1',
          kind: 'Instance',
          metadata: { name: 'us', creationTimestamp: '1970-01-01T00:01:01Z' },
          status: us.status,
        },
      ],
    })
  })

  it.each([
    ['name', 'instance.kairship.io/eu\ninstance.kairship.io/us\n'],
    ['jsonpath={.items[*].metadata.name}', 'eu us'],
    ['custom-columns=NAME:.metadata.name,ALIAS:.spec.alias', 'NAME   ALIAS\neu     Europe\nus     <none>\n'],
  ])('is written as -o %s', async (output, out) => {
    expect((await run(asking(list), { output })).out).toBe(out)
  })

  it.each(['B', 'A:.metadata.name,B', 'A:', 'B,A:.metadata.name'])(
    'is not written in columns that lack a header or a path: %s',
    async columns => {
      await expect(run(asking(list), { output: `custom-columns=${columns}` })).rejects.toThrow(
        '-o custom-columns: expected HEADER:JSONPATH',
      )
    },
  )

  it('is written in columns whose paths have commas in brackets', async () => {
    const output = 'custom-columns=N:.metadata["name","alias"],A:.spec.alias'
    expect((await run(asking(list), { output })).out).toContain('Europe')
  })

  it('has no header with --no-headers, in a table or in columns', async () => {
    const columns = { output: 'custom-columns=N:.metadata.name', noHeaders: true }
    expect((await run(asking(list), columns)).out).toBe('eu\nus\n')
    expect((await run(asking(list), { noHeaders: true })).out).toMatch(/^eu {3}ready .*\nus {3}INPROCESS/)
  })

  it('is of the instances whose labels match, also of one that is named', async () => {
    const labelled = { ...eu, metadata: { ...eu.metadata, labels: { env: 'prod' } } }
    const both = { get: async () => ({ items: [labelled, us] }) }
    const selected = { output: 'name', selector: 'env=prod' }
    expect((await run(asking(both), selected)).out).toBe('instance.kairship.io/eu\n')
    expect((await run(asking(both), selected, ['us'])).out).toBe('')
  })

  it('refuses a malformed selector before it sends anything', async () => {
    await expect(run(asking({}), { selector: 'env=(' })).rejects.toMatchObject({ exitCode: ExitCode.usage })
  })

  it('is one object when one is named, and a list when several are', async () => {
    const paths: string[] = []
    const one = asking({
      get: async path => {
        paths.push(path)
        return eu
      },
    })
    expect((await run(one, { output: 'yaml' }, ['eu'])).out).toContain('fieldOfTomorrow')
    expect(paths).toEqual(['/apis/kairship.io/v1alpha1/instances/eu'])
    expect(JSON.parse((await run(asking(list), { output: 'json' }, ['eu', 'us'])).out).items).toHaveLength(2)
  })

  it('fails for a name that is not there', async () => {
    await expect(run(asking(list), {}, ['eu', 'asia'])).rejects.toMatchObject({
      message: 'no such instance: asia',
      exitCode: ExitCode.notFound,
    })
  })

  it('says so when there are none', async () => {
    expect((await run(asking({ get: async () => ({}) }))).out).toBe('No instances.\n')
  })
})

describe('get instances --watch', () => {
  /** A stream per connection; after the last one the watcher is interrupted. */
  const streams = (...scripts: (() => AsyncGenerator<unknown>)[]) => {
    const interrupt = new AbortController()
    const tokens: (string | undefined)[] = []
    const stream: Client['stream'] = (_path, { resumeToken }) => {
      tokens.push(resumeToken)
      const next = scripts.shift()
      if (next) return next()
      interrupt.abort()
      return nothing()
    }
    return { it: asking({ stream }, interrupt.signal), tokens }
  }

  it('prints each change in line with the header and resumes a broken stream where it broke', async () => {
    const { it: asked, tokens } = streams(
      async function* () {
        yield { type: 'RESET', resumeToken: '1' }
        yield { type: 'ADDED', instance: eu, resumeToken: '2' }
        throw new Error('terminated')
      },
      async function* () {
        yield { type: 'DELETED', instance: eu, resumeToken: '3' }
      },
    )
    const { out, err, exitCode } = await run(asked, { watch: true })
    expect(exitCode).toBe(ExitCode.ok)
    expect(out.split('\n').map(line => line.split(/\s{2,}/)[1])).toEqual([
      'STATE',
      'ready',
      'gone',
      undefined,
    ])
    expect(tokens).toEqual([undefined, '2', '3'])
    expect(err).toBe('watch broken, resuming: terminated\n')
  })

  it('is one JSON document a line', async () => {
    const { it: asked } = streams(async function* () {
      yield { type: 'ADDED', instance: eu, resumeToken: '1' }
      yield { type: 'BOOKMARK', resumeToken: '2' }
    })
    const { out } = await run(asked, { watch: true, output: 'json' })
    expect(
      out
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line)),
    ).toMatchObject([{ type: 'ADDED', object: { kind: 'Instance', metadata: { name: 'eu' } } }])
  })

  it('prints a row when something shown changed, and not when only something else did', async () => {
    const { it: asked } = streams(async function* () {
      const version = (resourceVersion: string) => ({ ...eu, metadata: { ...eu.metadata, resourceVersion } })
      yield { type: 'ADDED', instance: version('1') }
      yield { type: 'MODIFIED', instance: version('2') }
      yield { type: 'MODIFIED', instance: { ...version('3'), status: { ...eu.status, phase: 'degraded' } } }
      yield { type: 'MODIFIED', instance: version('4') }
    })
    const { out } = await run(asked, { watch: true, noHeaders: true })
    expect(out.split('\n').map(line => line.split(/\s+/)[1])).toEqual([
      'ready',
      'degraded',
      'ready',
      undefined,
    ])
  })

  it('says that an instance is gone when its labels match no longer', async () => {
    const labelled = (env: string) => ({ ...eu, metadata: { ...eu.metadata, labels: { env } } })
    const { it: asked } = streams(async function* () {
      yield { type: 'ADDED', instance: us }
      yield { type: 'ADDED', instance: labelled('prod') }
      yield { type: 'MODIFIED', instance: labelled('test') }
      yield { type: 'MODIFIED', instance: labelled('test') }
    })
    const { out } = await run(asked, { watch: true, noHeaders: true, selector: 'env=prod' })
    expect(out.split('\n').map(line => line.split(/\s+/).slice(0, 2).join(' '))).toEqual([
      'eu ready',
      'eu gone',
      '',
    ])
  })

  it('ends with an error when it never began, or is refused', async () => {
    const refusal = new CommandError('forbidden', ExitCode.denied)
    const never = streams(() => {
      throw refusal
    })
    await expect(run(never.it, { watch: true })).rejects.toBe(refusal)
    const later = streams(async function* () {
      yield { type: 'RESET', resumeToken: '1' }
      throw refusal
    })
    await expect(run(later.it, { watch: true })).rejects.toBe(refusal)
  })
})

describe('describe instance', () => {
  it('lists the states of its machine with -o wide', async () => {
    const it = asking({
      get: async () => ({ instance: eu, configuration: ['ready.watching', 'index.idle'] }),
    })
    await describeInstance(
      { ...it, out: text => it.out.push(text), err: text => it.err.push(text) },
      { ...defaults('describe instance'), output: 'wide' },
      'eu',
    )
    expect(it.out.join('')).toContain('\nMachine state:\n  ready.watching\n  index.idle\n')
  })

  it('says what state it is in, since when, why, and what led there', async () => {
    const explanation = {
      instance: eu,
      configuration: ['ready.watching'],
      pending: ['next probe in 4 s'],
      transitions: [
        {
          time: '1970-01-01T00:00:31.100Z',
          from: 'status.acting',
          to: 'status.settled',
          event: 'done',
          cause: 'written',
        },
        {
          time: '1970-01-01T00:00:31.250Z',
          from: 'registering',
          to: 'ready',
          event: 'registered',
          cause: 'all hold',
        },
      ],
      leading: true,
      leader: 'replica-1',
    }
    const it = asking({ get: async () => explanation })
    await describeInstance(
      { ...it, out: text => it.out.push(text), err: text => it.err.push(text) },
      defaults('describe instance'),
      'eu',
    )
    expect(it.out.join('')).toBe(`Name:         eu
Alias:        Europe
State:        ready for 60s
Endpoint:     https://10.0.0.1:5443
Karmada:      v1.18.2
Kubernetes:   v1.36.2
Credentials:  Secret kairship-system/eu
Clusters:     1 of 2 ready
Nodes:        6 of 6 ready
Acted on by:  replica-1 (the one that answered)

Conditions:
  TYPE    STATUS   FOR   REASON    MESSAGE
  Ready   True     60s   AllHold

Now:
  next probe in 4 s

Transitions:
  TIME           TRANSITION            EVENT        CAUSE
  00:00:31.250   registering → ready   registered   all hold
`)
  })
})
