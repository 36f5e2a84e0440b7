import { Code, codeOfStatus } from '../../transcoding/code.js'
import { type AuditRecord, type AuditTarget, leavesRecord } from '../audit/record.js'
import type { Failure } from '../errors/failure.js'
import { hasBody } from './exchange/headers.js'
import type { ProxyCall } from './proxy-call.js'
import type { ProxyOptions } from './proxy-options.js'
import { behindMember } from './route/behind-member.js'
import type { ProxyPath } from './route/path.js'
import { requestInfo } from './route/request-info.js'
import { isTriedWrite } from './write-observer.js'

/**
 * Measures a request that is over and writes its audit record.
 * @param status what the caller received; 0 where it received no answer
 * @param failure why it ended otherwise than with a whole answer, or why an upgraded connection broke
 */
export function record(
  { audit, meter, now }: ProxyOptions,
  call: ProxyCall,
  status: number,
  failure: Failure | undefined,
): void {
  const { started, action, answered } = call
  const code = codeOf(status, failure)
  const verb = action?.verb ?? 'none'
  const durationMs = now() - started
  meter.count('kairship_proxy_requests_total', { verb, code: String(status) })
  meter.observe('kairship_proxy_request_duration_seconds', durationMs / 1000, { verb })
  if (answered)
    meter.count('kairship_proxy_answers_total', { source: answered.source, reason: answered.reason })
  const found = auditRecordOf(call, code, status, durationMs)
  if (found) audit.record(found)
}

/** Writes the audit record of a request whose answer has begun and goes on: a shell and a watch are seen while they run. */
export function recordStarted({ audit, now }: ProxyOptions, call: ProxyCall, status: number): void {
  const found = auditRecordOf(call, Code.OK, status, now() - call.started)
  if (found) audit.recordStarted(found)
}

/** The record of a request; undefined where it leaves none. */
function auditRecordOf(
  call: ProxyCall,
  code: Code,
  status: number,
  durationMs: number,
): Omit<AuditRecord, 'endedAt'> | undefined {
  const { caller, actsAs, action, answered, proxy, remote, request } = call
  const about = { code, ...(action && { action }), ...(actsAs && { actsAs }) }
  // Most requests are reads of something else: what they are about is not worked out a second time.
  const mayBeOfSecrets = 'path' in proxy && MAY_BE_OF_SECRETS.test(proxy.path)
  if (!mayBeOfSecrets && !leavesRecord(about)) return undefined
  const { target, dryRun } = 'path' in proxy ? auditTarget(request, proxy) : {}
  if (!leavesRecord({ ...about, ...(target && { target }) })) return undefined
  const { url = '', headers } = request
  return {
    requestId: call.requestId,
    wire: 'proxy',
    operation: 'path' in proxy ? (proxy.path.split('?')[0] ?? '') : 'refused path',
    uri: url.split('?')[0] ?? '',
    ...(headers['user-agent'] ? { userAgent: headers['user-agent'] } : {}),
    ...(caller ? { caller } : {}),
    ...(actsAs ? { actsAs } : {}),
    ...(action ? { action } : {}),
    ...(call.isDecided && { isDecided: true }),
    ...(target ? { target } : {}),
    ...(dryRun && { dryRun }),
    ...(remote ? { remote } : {}),
    ...(answered ? { source: answered.source } : {}),
    code,
    ...(status ? { status } : {}),
    durationMs,
  }
}

/** A path with a segment `secrets`, or with letters that are encoded and may spell it. */
const MAY_BE_OF_SECRETS = /^[^?]*(\/secrets|%)/

/** The instance's answer counts as ours. Where nothing was answered and nothing failed, the caller was not there any more. */
function codeOf(status: number, failure: Failure | undefined): Code {
  if (failure) return failure.code
  return status === 0 ? Code.CANCELLED : codeOfStatus(status)
}

/** The object of a request: of one that the instance passes on to a member, that in the member. And whether it is only tried to write it. */
function auditTarget(
  { method = '', headers }: ProxyCall['request'],
  { instance, path }: ProxyPath,
): { readonly target: AuditTarget; readonly dryRun: boolean } {
  const [whole = '', ...query] = path.split('?')
  const { cluster, path: inside } = behindMember(whole) ?? { path: whole }
  const info = requestInfo(method, [inside, ...query].join('?'))
  return {
    target: { instance, ...(cluster !== undefined && { cluster }), verb: info.verb, ...info.resource },
    dryRun: isTriedWrite(info, hasBody(headers)),
  }
}
