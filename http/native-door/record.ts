import { audit, leavesRecord } from '../audit.js'
import { Code } from '../code.js'
import type { Failure } from '../failure.js'
import type { DoorOptions, Visit } from './admission.js'

/** What is measured and put on record of a request when it is over. */
export function record(
  { log, meter, now }: DoorOptions,
  visit: Visit,
  status: number,
  failure: Failure | undefined,
): void {
  const { started, caller, action, answered, door } = visit
  const code = failure?.code ?? Code.OK
  const verb = action?.verb ?? 'none'
  meter.count('kairship_proxy_requests_total', { verb, code: String(status) })
  meter.observe('kairship_proxy_request_duration_seconds', (now() - started) / 1000, { verb })
  if (answered) meter.count('kairship_proxy_answers_total', { ...answered })
  if (!leavesRecord(code, action)) return
  const { requestId, remote } = visit
  audit(log, {
    requestId,
    wire: 'proxy',
    operation: 'path' in door ? (door.path.split('?')[0] ?? '') : 'refused path',
    ...(caller ? { caller } : {}),
    ...(action ? { action } : {}),
    ...(remote ? { remote } : {}),
    ...(answered ? { source: answered.source } : {}),
    code,
    durationMs: now() - started,
  })
}
