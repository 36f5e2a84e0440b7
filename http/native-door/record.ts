import { audit } from '../audit.js'
import { Code } from '../code.js'
import type { Failure } from '../failure.js'
import type { DoorOptions, Visit } from './admission.js'

/** What is measured and put on record of a request when it is over. */
export function record(
  { log, meter, now }: DoorOptions,
  { requestId, started, remote, caller, action, answered, door }: Visit,
  status: number,
  failure: Failure | undefined,
): void {
  const verb = action?.verb ?? 'none'
  meter.count('kairship_proxy_requests_total', { verb, code: String(status) })
  meter.observe('kairship_proxy_request_duration_seconds', (now() - started) / 1000, { verb })
  if (answered) meter.count('kairship_proxy_answers_total', { ...answered })
  audit(log, {
    requestId,
    wire: 'proxy',
    operation: 'path' in door ? (door.path.split('?')[0] ?? '') : 'refused path',
    ...(caller ? { caller } : {}),
    ...(action ? { action } : {}),
    ...(remote ? { remote } : {}),
    ...(answered ? { source: answered.source } : {}),
    code: failure?.code ?? Code.OK,
    durationMs: now() - started,
  })
}
