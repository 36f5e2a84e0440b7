import { describe, expect, it } from 'vitest'
import { CommandError, ExitCode } from '../../../cli/exit-code.js'
import { getInstances } from '../../../cli/instances/get-instances.js'
import { type Config, defaults } from '../../../config.js'
import { asking, eu, nothing, type Scripted, us } from '../scripted-client.js'

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
  it('prints a table with a dash for unknown values', async () => {
    expect((await run(asking(list))).out).toBe(
      [
        'NAME   PHASE         KARMADA   KUBERNETES   CLUSTERS   AGE',
        'eu     Ready         v1.18.2   v1.36.2      1/2        90s',
        'us     Registering   -         -            -          30s',
        '',
      ].join('\n'),
    )
  })

  it.each([
    ['INSTANCE_STATE_INPROCESS', 'Registering'],
    ['INSTANCE_STATE_RUNNING', 'Ready'],
    ['INSTANCE_STATE_UNAVAILABLE', 'Degraded'],
    ['INSTANCE_STATE_TERMINAL', 'Deleting'],
    ['INSTANCE_STATE_UNKNOWN', 'Unknown'],
    ['INSTANCE_STATE_OF_TOMORROW', 'Unknown'],
  ])('prints the state %s of a server without phases as kubectl shows it: %s', async (state, phase) => {
    const get = async () => ({ items: [{ ...us, status: { state } }] })
    expect((await run(asking({ get }), { noHeaders: true })).out).toMatch(new RegExp(`^us {3}${phase} `))
  })

  it('prints the cause of trouble with -o wide', async () => {
    const { out } = await run(asking(list), { output: 'wide' })
    expect(out).toContain('6/6     https://10.0.0.1:5443   -')
    expect(out).toContain('no Secret kairship-system/us')
  })

  it('prints a List of Kubernetes objects with -o json, including unknown fields', async () => {
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
  ])('prints -o %s', async (output, out) => {
    expect((await run(asking(list), { output })).out).toBe(out)
  })

  it.each(['B', 'A:.metadata.name,B', 'A:', 'B,A:.metadata.name'])(
    'refuses columns without a header or a path: %s',
    async columns => {
      await expect(run(asking(list), { output: `custom-columns=${columns}` })).rejects.toThrow(
        '-o custom-columns: expected HEADER:JSONPATH',
      )
    },
  )

  it('accepts columns whose paths have commas in brackets', async () => {
    const output = 'custom-columns=N:.metadata["name","alias"],A:.spec.alias'
    expect((await run(asking(list), { output })).out).toContain('Europe')
  })

  it('prints no header with --no-headers, in a table or in columns', async () => {
    const columns = { output: 'custom-columns=N:.metadata.name', noHeaders: true }
    expect((await run(asking(list), columns)).out).toBe('eu\nus\n')
    expect((await run(asking(list), { noHeaders: true })).out).toMatch(/^eu {3}Ready .*\nus {3}Registering/)
  })

  it('filters by labels, also when an instance is named', async () => {
    const labelled = { ...eu, metadata: { ...eu.metadata, labels: { env: 'prod' } } }
    const both = { get: async () => ({ items: [labelled, us] }) }
    const selected = { output: 'name', selector: 'env=prod' }
    expect((await run(asking(both), selected)).out).toBe('instance.kairship.io/eu\n')
    expect((await run(asking(both), selected, ['us'])).out).toBe('')
  })

  it('refuses a malformed selector before it sends anything', async () => {
    await expect(run(asking({}), { selector: 'env=(' })).rejects.toMatchObject({ exitCode: ExitCode.usage })
  })

  it('prints one object when one is named, and a list for several', async () => {
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

  it('fails for a name that does not exist', async () => {
    await expect(run(asking(list), {}, ['eu', 'asia'])).rejects.toMatchObject({
      message: 'no such instance: asia',
      exitCode: ExitCode.notFound,
    })
  })

  it('says so when there are no instances', async () => {
    expect((await run(asking({ get: async () => ({}) }))).out).toBe('No instances.\n')
  })
})

describe('get instances --watch', () => {
  /** A stream per connection; after the last one the watcher is interrupted. */
  const streams = (...scripts: (() => AsyncGenerator<unknown>)[]) => {
    const interrupt = new AbortController()
    const tokens: (string | undefined)[] = []
    const stream: Scripted['stream'] = (_path, resumeToken) => {
      tokens.push(resumeToken)
      const next = scripts.shift()
      if (next) return next()
      interrupt.abort()
      return nothing()
    }
    return { it: asking({ stream }, interrupt.signal), tokens }
  }

  it('prints each change aligned with the header and resumes a broken stream', async () => {
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
      'PHASE',
      'Ready',
      'gone',
      undefined,
    ])
    expect(tokens).toEqual([undefined, '2', '3'])
    expect(err).toBe('watch broken, resuming: terminated\n')
  })

  it('prints one JSON document a line', async () => {
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

  it('prints a row when a shown value changed, and none otherwise', async () => {
    const { it: asked } = streams(async function* () {
      const version = (resourceVersion: string) => ({ ...eu, metadata: { ...eu.metadata, resourceVersion } })
      yield { type: 'ADDED', instance: version('1') }
      yield { type: 'MODIFIED', instance: version('2') }
      yield { type: 'MODIFIED', instance: { ...version('3'), status: { ...eu.status, phase: 'Degraded' } } }
      yield { type: 'MODIFIED', instance: version('4') }
    })
    const { out } = await run(asked, { watch: true, noHeaders: true })
    expect(out.split('\n').map(line => line.split(/\s+/)[1])).toEqual([
      'Ready',
      'Degraded',
      'Ready',
      undefined,
    ])
  })

  it('reports an instance whose labels no longer match as gone', async () => {
    const labelled = (env: string) => ({ ...eu, metadata: { ...eu.metadata, labels: { env } } })
    const { it: asked } = streams(async function* () {
      yield { type: 'ADDED', instance: us }
      yield { type: 'ADDED', instance: labelled('prod') }
      yield { type: 'MODIFIED', instance: labelled('test') }
      yield { type: 'MODIFIED', instance: labelled('test') }
    })
    const { out } = await run(asked, { watch: true, noHeaders: true, selector: 'env=prod' })
    expect(out.split('\n').map(line => line.split(/\s+/).slice(0, 2).join(' '))).toEqual([
      'eu Ready',
      'eu gone',
      '',
    ])
  })

  it('fails when the stream never opened or is refused', async () => {
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
