/** Stages of a request, of those that Kubernetes has. */
export type AuditStage = 'ResponseStarted' | 'ResponseComplete'

/**
 * An event of Kubernetes' audit log, `audit.k8s.io/v1`, as kube-apiserver writes one in a line: the fields that Kairship fills.
 * See k8s.io/apiserver/pkg/apis/audit/v1 (types.go).
 */
export interface AuditEvent {
  readonly kind: 'Event'
  readonly apiVersion: 'audit.k8s.io/v1'
  /** Never the bodies of requests and answers. */
  readonly level: 'Metadata'
  readonly auditID: string
  /** `ResponseStarted` is written of requests that go on for long (shells, watches) when their answer has begun. */
  readonly stage: AuditStage
  readonly requestURI: string
  readonly verb: string
  readonly user: AuditUser
  /** Who the user asked to act as. */
  readonly impersonatedUser?: AuditUser
  readonly sourceIPs?: readonly string[]
  readonly userAgent?: string
  readonly objectRef?: {
    readonly resource?: string
    readonly namespace?: string
    readonly name?: string
    readonly apiGroup?: string
    readonly apiVersion?: string
    readonly subresource?: string
  }
  readonly responseStatus?: { readonly metadata: object; readonly status?: 'Failure'; readonly code: number }
  /** RFC 3339 in UTC with six digits of a second, as metav1.MicroTime is written. */
  readonly requestReceivedTimestamp: string
  readonly stageTimestamp: string
  readonly annotations: Readonly<Record<string, string>>
}

/** authentication.k8s.io/v1 UserInfo. */
export interface AuditUser {
  readonly username: string
  readonly uid?: string
  readonly groups?: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}
