import type { WrittenType } from '../../../http/read-your-writes/expected-write.js'
import { WriteLedger } from '../../../http/read-your-writes/ledger.js'
import type { Outcome } from '../../../http/read-your-writes/outcome.js'

export const maps = { group: '', resource: 'configmaps' }
export const namespaces = { group: '', resource: 'namespaces' }
export const ann = { instance: 'i', user: 'ann' }
export const ben = { instance: 'i', user: 'ben' }
export const everywhere = { namespace: '' }
export const lost: Outcome = { kind: 'lost' }
export const refused: Outcome = { kind: 'refused' }
export const wrote = (name: string, resourceVersion = '100'): Outcome => ({
  kind: 'wrote',
  namespace: 'a',
  name,
  expected: { kind: 'present', resourceVersion },
})
export const update = (name: string) => ({ verb: 'update', namespace: 'a', name })
export const remove = (name: string) => ({ verb: 'delete', namespace: '', name })

export function start(limits: ConstructorParameters<typeof WriteLedger>[1] = {}) {
  let now = 1_000
  const ledger = new WriteLedger(() => now, limits)
  return {
    ledger,
    pass: (milliseconds: number) => (now += milliseconds),
    write: (caller: typeof ann, type: WrittenType, request: ReturnType<typeof update>, outcome: Outcome) =>
      ledger.begin(caller, type, request).ended(outcome),
    expects: (
      caller: typeof ann,
      type: WrittenType,
      scope: { namespace: string; name?: string } = everywhere,
    ) => ledger.expectedWrites(caller, type, scope) !== undefined,
  }
}
