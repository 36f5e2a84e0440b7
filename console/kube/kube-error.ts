import { isJsonObject } from '../../transcoding/json-object.js'

/** One field that an API server refused. */
export interface Cause {
  /** Its path, such as `spec.template.spec.containers[0].image`. */
  readonly field: string
  readonly message: string
}

/** A refusal of an instance's own API: Kubernetes' Status as an error. */
export class KubeError extends Error {
  override readonly name = 'KubeError'

  constructor(
    message: string,
    /** HTTP's. */
    readonly status: number,
    /** One word, such as `Conflict`. Empty where no API server answered. */
    readonly reason: string = '',
    readonly causes: readonly Cause[] = [],
  ) {
    super(message)
  }
}

/** A write was sent and no whole answer came: it may have taken effect. */
export class UnknownOutcome extends Error {
  override readonly name = 'UnknownOutcome'
}

/** The refusal that an answer means. What is no Status is from something between. @param text of the answer */
export function refusalOf(text: string, httpStatus: number): KubeError {
  const status = parsed(text)
  if (!isJsonObject(status) || typeof status.message !== 'string')
    return new KubeError(`HTTP ${httpStatus}: ${text.slice(0, 200)}`, httpStatus)
  const { message, reason, details } = status
  const causes = isJsonObject(details) && Array.isArray(details.causes) ? details.causes : []
  return new KubeError(
    message,
    httpStatus,
    typeof reason === 'string' ? reason : '',
    causes.flatMap(cause =>
      isJsonObject(cause) && typeof cause.field === 'string'
        ? [{ field: cause.field, message: String(cause.message ?? '') }]
        : [],
    ),
  )
}

function parsed(text: string) {
  try {
    return JSON.parse(text)
  } catch {
    // Its text is shown as it is.
    return undefined
  }
}
