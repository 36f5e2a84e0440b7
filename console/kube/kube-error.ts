import { isJsonObject } from '../../transcoding/json-object.js'

/** A field that an API server refused. */
export interface Cause {
  /** Its path, such as `spec.template.spec.containers[0].image`. */
  readonly field: string
  readonly message: string
}

/** A refusal of an instance's own API: a Kubernetes Status as an error. */
export class KubeError extends Error {
  override readonly name = 'KubeError'

  constructor(
    message: string,
    /** The HTTP status. */
    readonly status: number,
    /** The Status' reason, such as `Conflict`. Empty where no API server answered. */
    readonly reason: string = '',
    readonly causes: readonly Cause[] = [],
  ) {
    super(message)
  }
}

/** An instance does not serve a kind or a resource. The console finds this out itself, so the message is its own. */
export class NotServed extends KubeError {
  constructor(
    readonly instance: string,
    /** A kind or a resource; empty for a whole version of a group. */
    readonly what: string,
    readonly apiVersion: string,
  ) {
    super(`the instance ${instance} serves no ${what && `${what} in `}${apiVersion}`, 404, 'NotFound')
  }
}

/** An answer that a page cannot show. */
export class AnswerTooLarge extends KubeError {
  constructor(
    /** An answer may have so many MiB. */
    readonly most: number,
    status: number,
  ) {
    super(`the answer has more than ${most} MiB`, status)
  }
}

/** A write was sent and no whole answer came: it may have taken effect. */
export class UnknownOutcome extends Error {
  override readonly name = 'UnknownOutcome'

  /** @param why no answer came, as the browser says it */
  constructor(
    readonly why: string,
    options?: ErrorOptions,
  ) {
    super(`no answer came, and whether the change took effect is not known: ${why}`, options)
  }
}

/** The error of an answer. An answer that is no Status comes from a proxy in between. @param text of the answer */
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
    // Not JSON: the caller shows the text.
    return undefined
  }
}

/** An object has more levels than its YAML can be written of: API servers take 10,000. */
export class NestedTooDeep extends Error {
  override readonly name = 'NestedTooDeep'
}
