import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { CommandError, ExitCode } from '../../../cli/exit-code.js'
import { explainPlacement } from '../../../cli/objects/placement.js'
import { previewFile } from '../../../cli/objects/preview.js'
import { traceObject } from '../../../cli/objects/trace.js'
import { type Config, defaults } from '../../../config.js'
import { scriptedClient } from '../scripted-client.js'

/** A Kairship that gives one answer; `calls` has what was asked. */
function answering(answer: object) {
  const calls: unknown[] = []
  const out: string[] = []
  const asked = (...call: unknown[]) => {
    calls.push(call)
    return Promise.resolve(answer)
  }
  const client = scriptedClient({ get: asked, post: asked })
  const context = {
    client,
    out: (text: string) => void out.push(text),
    err: () => undefined,
    signal: new AbortController().signal,
    now: () => 0,
    pause: async () => undefined,
  }
  return { calls, context, said: () => out.join('') }
}
const config = (given: Partial<Config> = {}): Config => ({ ...defaults('trace'), ...given })
const ROOT = '/apis/kairship.io/v1alpha1/instances'
const reference = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' }

const BROKEN = {
  step: 'POLICY',
  state: 'BROKEN',
  reason: 'NoPolicy',
  message: 'No policy selects it.',
  fix: 'Create one.',
}
const TRACED = {
  summary: 'Policy: No policy selects it.',
  links: [{ step: 'TEMPLATE', state: 'DONE', reason: 'TemplateFound', message: 'It is there.' }, BROKEN],
  first: BROKEN,
  unread: ['works are forbidden'],
}

describe('kairship trace', () => {
  it('prints each step, the summary, the fix and what could not be read', async () => {
    const { calls, context, said } = answering(TRACED)
    await traceObject(context, config(), ['eu', 'deployment', 'shop/web'])
    expect(calls).toEqual([[`${ROOT}/eu/trace?apiVersion=apps%2Fv1&kind=Deployment&namespace=shop&name=web`]])
    expect(said()).toBe(`STEP       CLUSTER   STATE    REASON          MESSAGE
Template   -         Done     TemplateFound   It is there.
Policy     -         Broken   NoPolicy        No policy selects it.

Policy: No policy selects it.
Try: Create one.
Not looked at: works are forbidden
`)
  })

  it('fails when a step is broken, and not when one waits or all are done', async () => {
    const ended = (first?: object) =>
      traceObject(answering({ summary: '', links: [], ...(first && { first }) }).context, config(), [
        'eu',
        'deployment',
        'shop/web',
      ])
    expect(await ended(BROKEN)).toBe(ExitCode.failed)
    expect(await ended({ ...BROKEN, state: 'WAITING' })).toBe(ExitCode.ok)
    expect(await ended()).toBe(ExitCode.ok)
  })

  it('prints the server’s answer unchanged with -o json', async () => {
    const { context, said } = answering(TRACED)
    await traceObject(context, config({ output: 'json' }), ['eu', 'deployment', 'shop/web'])
    expect(JSON.parse(said())).toEqual(TRACED)
  })

  it('accepts the answer of a newer Kairship', async () => {
    const { context, said } = answering({ ...TRACED, invented: true })
    await traceObject(context, config({ output: 'name' }), ['eu', 'deployment', 'shop/web'])
    expect(said()).toContain('Try: Create one.')
  })
})

const PLACEMENT = {
  affinityName: 'second',
  clusters: [
    { cluster: 'north', selected: true, before: 2, after: 3, candidate: { score: 100, available: 5 } },
    { cluster: 'south', candidate: { available: 2147483647 } },
    { cluster: 'east', selected: true, candidate: { score: 1, available: 0 } },
    {
      cluster: 'west',
      refusals: [{ filter: 'TaintToleration', reason: 'cluster(s) had untolerated taint {a}' }],
    },
  ],
  tried: [
    { affinityName: 'first', failure: { reason: 'NoClusterFit', message: '0/3 clusters are available.' } },
  ],
}

describe('kairship explain', () => {
  it('prints for each cluster its replicas and the reason', async () => {
    const { calls, context, said } = answering({ placement: PLACEMENT })
    await explainPlacement(context, config(), ['eu', 'deployment', 'shop/web'])
    expect(calls).toEqual([[expect.stringContaining(`${ROOT}/eu/placement?`)]])
    expect(said()).toBe(`Affinity group first: 0/3 clusters are available.
Affinity group second was taken.
CLUSTER   NOW   WANTED   SCORE   ROOM   WHY
north     2     3        100     5      chosen
south     -     -        0       any    fits, but the placement takes others
east      -     -        1       0      fits, but gets no replicas
west      -     -        -       -      TaintToleration: cluster(s) had untolerated taint {a}
`)
  })
})

describe('the clusters of a placement', () => {
  it('are shown with the quotas that limit them, and what is assumed of the control plane below them', async () => {
    const { context, said } = answering({
      placement: {
        clusters: [
          {
            cluster: 'north',
            after: 1,
            candidate: { available: 1 },
            quotaLimit: 'ResourceQuota q limits it.',
          },
        ],
        assumptions: ['A feature gate is assumed to be on.'],
      },
    })
    await explainPlacement(context, config(), ['eu', 'deployment', 'shop/web'])
    expect(said()).toBe(`CLUSTER   NOW   WANTED   SCORE   ROOM   WHY
north     -     1        0       1      chosen; ResourceQuota q limits it.
Note: A feature gate is assumed to be on.
`)
  })
})

describe('kairship preview', () => {
  const file = (text: string) => {
    const folder = mkdtempSync(join(tmpdir(), 'kairship-preview-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const path = join(folder, 'policy.yaml')
    writeFileSync(path, text)
    return path
  }
  const shown = async (answer: object) => {
    const { context, said } = answering(answer)
    await previewFile(context, config(), ['eu', file('kind: PropagationPolicy')])
    return said()
  }

  it('sends the file, and prints each template with its claim and its changes', async () => {
    const manifests = [
      {
        cluster: 'north',
        before: '{}',
        after: '{}',
        patch: [{ op: 'replace', path: '/spec/replicas', value: '3' }],
      },
      { cluster: 'south', before: '{}' },
      { cluster: 'west', after: '{}' },
      { cluster: 'east', problem: 'the path is missing' },
      { cluster: 'hill', before: '{}', problem: 'the path is missing' },
    ]
    const template = {
      template: reference,
      claim: 'HELD_BY_OTHER',
      other: { kind: 'PropagationPolicy', namespace: 'shop', name: 'old' },
      manifests,
    }
    const { calls, context, said } = answering({
      templates: [template],
      total: 3,
      unread: ['works are forbidden'],
    })
    await previewFile(context, config(), ['eu', file('kind: PropagationPolicy')])
    expect(calls).toEqual([[`${ROOT}/eu/policies:preview`, { data: 'kind: PropagationPolicy' }]])
    expect(said()).toBe(`Deployment shop/web: stays with PropagationPolicy shop/old
  north: replace /spec/replicas 3
  south: taken away
  west: new
  east: no manifest, because the path is missing
  hill: stays as it is, because the path is missing

2 more templates are not shown.

Not looked at: works are forbidden
`)
  })

  it.each([
    ['gives a policy without a namespace the default one', {}, '{name: a}', 'namespace: default'],
    ['gives it the one that --namespace names', { inNamespace: 'shop' }, '{name: a}', 'namespace: shop'],
    ['keeps the one that it has', { inNamespace: 'shop' }, '{name: a, namespace: own}', 'namespace: own'],
  ])('%s', async (_, flags, metadata, expected) => {
    const { calls, context } = answering({ total: 0 })
    const policy = `kind: OverridePolicy\nmetadata: ${metadata}\n`
    await previewFile(context, config(flags), ['eu', file(policy)])
    expect(calls).toEqual([[expect.anything(), { data: expect.stringContaining(expected) }]])
  })

  it.each([
    'kind: ClusterOverridePolicy\nmetadata: {name: a}\n',
    'kind: OverridePolicy\nmetadata: {name: a}\n---\nkind: OverridePolicy\nmetadata: {name: b}\n',
    'kind: OverridePolicy\nmetadata: a\n',
    'kind: [',
    '',
  ])('sends %j as it is', async text => {
    const { calls, context } = answering({ total: 0 })
    await previewFile(context, config(), ['eu', file(text)])
    expect(calls).toEqual([[expect.anything(), text === '' ? {} : { data: text }]])
  })

  it('says of a template for which nothing changes that nothing does', async () => {
    const unmoved = { clusters: [{ cluster: 'north', before: 2, after: 2 }] }
    const moved = { clusters: [{ cluster: 'north', before: 2, after: 3 }] }
    const said = (template: object) => shown({ templates: [{ template: reference, ...template }], total: 1 })
    expect(await said({})).toBe('Deployment shop/web\n  Nothing changes.\n')
    expect(await said({ claim: 'KEEPS', placement: unmoved })).toContain('Nothing changes.')
    expect(await said({ claim: 'KEEPS', placement: moved })).not.toContain('Nothing changes.')
    expect(await said({ claim: 'CLAIMS', placement: unmoved })).not.toContain('Nothing changes.')
  })

  it('prints the placement of a template that the policy would claim', async () => {
    const text = await shown({
      templates: [{ template: reference, claim: 'CLAIMS', placement: PLACEMENT }],
      total: 1,
    })
    expect(text).toContain('Deployment shop/web: would be claimed\n')
    expect(text).toContain('chosen')
  })

  it.each([
    [1, false],
    [2, true],
  ])('of one template of %i says that more are not shown: %s', async (total, isSaid) => {
    const text = await shown({ templates: [{ template: { kind: 'Deployment', name: 'web' } }], total })
    expect(text.includes('1 more templates are not shown')).toBe(isSaid)
  })

  it('says so when the policy selects nothing', async () => {
    expect(await shown({ total: 0 })).toBe('The policy selects nothing that is there now.\n')
  })

  it('names the file when the server refuses the field that carries it', async () => {
    const refused = (message: string) => ({
      ...answering({}).context,
      client: scriptedClient({
        post: () => Promise.reject(new CommandError(message, ExitCode.failed)),
      }),
    })
    const path = file('kind: Deployment\n---\nkind: PropagationPolicy\n')
    const previewed = (message: string) =>
      previewFile(refused(message), config(), ['eu', path]).catch((error: Error) => error.message)
    expect(await previewed('data: holds 2 documents')).toBe(`${path}: holds 2 documents`)
    expect(await previewed('data.metadata.namespace: is required')).toBe(
      `${path}: metadata.namespace: is required`,
    )
    expect(await previewed('instance eu: is not there')).toBe('instance eu: is not there')
    expect(await previewed('database is full')).toBe('database is full')
  })

  it('names a file that does not exist', async () => {
    const { context } = answering({})
    await expect(previewFile(context, config(), ['eu', '/nowhere/policy.yaml'])).rejects.toThrow(
      '/nowhere/policy.yaml cannot be read',
    )
  })
})
