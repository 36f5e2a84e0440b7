import { Code, codeOfStatus } from '../../transcoding/code.js'
import { type AuditTarget, audit, leavesRecord } from '../call/audit.js'
import type { Failure } from '../errors/failure.js'
import type { ProxyCall } from './proxy-call.js'
import type { ProxyOptions } from './proxy-options.js'
import type { ProxyPath } from './route/path.js'
import { requestInfo } from './route/request-info.js'

/**
 * Measures a request that is over and writes its audit record.
 * @param status what the caller received; 0 where it received no answer
 * @param failure why it ended otherwise than with a whole answer, or why an upgraded connection broke
 */
export function record(
  { log, meter, now }: ProxyOptions,
  call: ProxyCall,
  status: number,
  failure: Failure | undefined,
): void {
  const { started, caller, action, answered, proxy } = call
  const code = codeOf(status, failure)
  const verb = action?.verb ?? 'none'
  meter.count('kairship_proxy_requests_total', { verb, code: String(status) })
  meter.observe('kairship_proxy_request_duration_seconds', (now() - started) / 1000, { verb })
  if (answered) meter.count('kairship_proxy_answers_total', { ...answered })
  if (!leavesRecord(code, action)) return
  const { requestId, remote, request } = call
  audit(log, {
    requestId,
    wire: 'proxy',
    operation: 'path' in proxy ? (proxy.path.split('?')[0] ?? '') : 'refused path',
    ...(caller ? { caller } : {}),
    ...(action ? { action } : {}),
    ...('path' in proxy ? { target: auditTarget(request.method ?? '', proxy) } : {}),
    ...(remote ? { remote } : {}),
    ...(answered ? { source: answered.source } : {}),
    code,
    ...(status ? { status } : {}),
    durationMs: now() - started,
  })
}

/** The instance's answer counts as ours. Where nothing was answered and nothing failed, the caller was not there any more. */
function codeOf(status: number, failure: Failure | undefined): Code {
  if (failure) return failure.code
  return status === 0 ? Code.CANCELLED : codeOfStatus(status)
}

function auditTarget(method: string, { instance, path }: ProxyPath): AuditTarget {
  const { verb, resource } = requestInfo(method, path)
  return { instance, verb, ...resource }
}
