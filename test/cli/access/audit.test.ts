import { describe, expect, it } from 'vitest'
import { auditEvents } from '../../../cli/access/audit.js'
import { ExitCode } from '../../../cli/exit-code.js'
import { type Config, defaults } from '../../../config.js'
import { asking, type Scripted } from '../scripted-client.js'

const EVENTS = '/apis/kairship.io/v1alpha1/audit-events'
const config = (given: Partial<Config> = {}): Config => ({ ...defaults('audit'), ...given })
const scaled = {
  ...{ endedAt: '2000', user: 'ann', wire: 'rest', operation: 'Apps_Scale', verb: 'update', instance: 'eu' },
  ...{ resource: 'deployments', subresource: 'scale', namespace: 'shop', name: 'web' },
  ...{ outcome: 'DENIED', code: 'PERMISSION_DENIED', cluster: 'm1' },
}
const given = {
  ...{ endedAt: '1000', user: 'eve', operation: 'role given', resource: 'instancerolebindings' },
  ...{ outcome: 'SUCCEEDED', code: 'OK', message: 'Editor for group dev\nuntil noon' },
}

function world(scripted: Scripted, signal?: AbortSignal) {
  const { out, err, ...rest } = asking(scripted, signal)
  const context = {
    ...rest,
    ...{ out: (text: string) => void out.push(text), err: (text: string) => void err.push(text) },
  }
  return { context, said: () => out.join(''), told: () => err.join('') }
}
const rows = (text: string) =>
  text
    .trim()
    .split('\n')
    .map(line => line.split(/ {3,}/))
const scaledRow = ['1970-01-01T00:00:02.000Z', 'ann', 'update deployments/scale shop/web', 'eu/m1']

describe('kairship audit', () => {
  it('prints the events that are kept, the last at the end, and how many are not shown', async () => {
    const paths: string[] = []
    const { context, said, told } = world({
      async get(path) {
        paths.push(path)
        return { items: [scaled, given], pagination: { total: 5 } }
      },
    })
    expect(await auditEvents(context, config({ since: 60 }), ['eu'])).toBe(ExitCode.ok)
    expect(paths).toEqual([`${EVENTS}?instance=eu&since=31000&pageSize=500`])
    const [header, first, last] = rows(said())
    expect(header).toEqual(['TIME', 'USER', 'WHAT', 'WHERE', 'OUTCOME', 'MESSAGE'])
    expect(first?.slice(0, 5)).toEqual(['1970-01-01T00:00:01.000Z', 'eve', 'role given', '-', 'succeeded'])
    expect(first?.[5]).toMatch(/^Editor for group dev.*until noon$/)
    expect(last).toEqual([...scaledRow, 'denied PERMISSION_DENIED', '-'])
    expect(told()).toContain('3 older events are not shown')
  })

  it('says in whose name somebody acted', async () => {
    const { context, said } = world({ get: async () => ({ items: [{ ...scaled, actingAs: 'bob' }] }) })
    await auditEvents(context, config(), [])
    expect(rows(said())[1]?.[1]).toBe('ann as bob')
  })

  it('follows events until it is interrupted', async () => {
    const interrupted = new AbortController()
    const { context, said } = world(
      {
        async *stream(path) {
          expect(path).toBe(`${EVENTS}:watch?instance=eu`)
          yield { type: 'RESET' }
          yield { type: 'ADDED', event: scaled }
          yield { type: 'BOOKMARK' }
          yield { type: 'ADDED', event: { ...given, outcome: 'AUDIT_OUTCOME_UNSPECIFIED', code: '' } }
          interrupted.abort(new Error('Ctrl-C'))
          interrupted.signal.throwIfAborted()
        },
      },
      interrupted.signal,
    )
    expect(await auditEvents(context, config({ follow: true }), ['eu'])).toBe(ExitCode.ok)
    const [first, second, ...more] = rows(said())
    expect(first).toEqual([...scaledRow, 'denied PERMISSION_DENIED', '-'])
    expect(second?.slice(2, 5)).toEqual(['role given', '-', 'begun'])
    expect(more).toEqual([])
  })

  it('fails where what it follows breaks', async () => {
    const broken = world({
      async *stream() {
        yield { type: 'RESET' }
        throw new Error('broken')
      },
    })
    await expect(auditEvents(broken.context, config({ follow: true }), [])).rejects.toThrow('broken')
  })

  it('writes the answer as JSON, says that there is nothing, and refuses two instances', async () => {
    const answer = { items: [given] }
    const json = world({ get: async () => answer })
    await auditEvents(json.context, config({ output: 'json' }), [])
    expect(JSON.parse(json.said())).toEqual(answer)
    const none = world({ get: async () => ({}) })
    await auditEvents(none.context, config(), [])
    expect(none.said()).toBe('No event is kept that you may see.\n')
    await expect(auditEvents(none.context, config(), ['a', 'b'])).rejects.toThrow('name one instance')
  })
})
