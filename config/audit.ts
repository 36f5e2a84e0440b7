import { integer, text } from './kinds.js'
import { answering, servers, setting } from './setting.js'

/** Settings of the audit log: who did what, as Kubernetes' audit events. The names are those of kube-apiserver's flags. */
export const auditSettings = {
  auditLogPath: setting({
    kind: text('path', 'a path to a file, "-" for standard output, or "none"'),
    default: '-',
    defaultFor: { playground: 'none' },
    group: 'Audit',
    commands: ['playground', ...servers],
    help: 'file for audit events, a line of JSON each (audit.k8s.io/v1); "-" is standard output, the log being on stderr',
    why: 'writes, denials and reads of credentials are never without a record; a container’s output is collected already, and a playground’s is for people',
  }),
  auditLogMaxSize: setting({
    kind: integer(1, 10_240, 'mebibytes'),
    default: 100,
    group: 'Audit',
    commands: ['playground', ...servers],
    flag: 'audit-log-maxsize',
    help: 'the file is renamed and begun anew beyond this size',
    why: 'as kube-apiserver’s',
  }),
  auditLogMaxBackup: setting({
    kind: integer(1, 1_000, 'files'),
    default: 10,
    group: 'Audit',
    commands: ['playground', ...servers],
    flag: 'audit-log-maxbackup',
    help: 'how many renamed files are kept',
    why: 'a gigabyte with the default size: a disk must not fill up',
  }),
  auditRecentEvents: setting({
    kind: integer(100, 100_000, 'events'),
    default: 10_000,
    group: 'Audit',
    commands: answering,
    help: 'how many audit events the API lists (ListAuditEvents), of a day at most; the log may have more',
    why: '6 MB of memory with names of usual length; beyond 16 million characters fewer events are kept',
  }),
} as const
