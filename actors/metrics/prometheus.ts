import type { MetricsAnswer, MetricsSource } from '../../ports/metrics-source.js'
import { authorizationOf, CredentialFile } from '../outbound/credential.js'
import { Endpoint, unusable } from '../outbound/endpoint.js'
import { FreshFile } from '../outbound/fresh-file.js'
import { readAnswer } from './prometheus-answer.js'

/** Where Prometheus is. */
export interface PrometheusOptions {
  readonly url: string
  readonly caFile?: string
  readonly credentialsFile?: string
  /** Milliseconds for one query. */
  readonly timeoutMs?: number
  /** Bytes of one answer. */
  readonly maxBytes?: number
}

const NAME = 'the metrics service'
/** Half of a call's longest time. */
const TIMEOUT_MS = 30_000
/** Some 300,000 values: more than a page draws. */
const MOST_BYTES = 8 << 20
/** Queries under way at once; Prometheus itself runs 20. */
const SOCKETS = 10

/** An HTTP API of Prometheus v2 or later, or of what speaks it: Thanos, Mimir, VictoriaMetrics. */
export class Prometheus implements MetricsSource {
  readonly #endpoint: Endpoint
  readonly #credential: CredentialFile | undefined
  readonly #timeoutMs: number
  readonly #maxBytes: number

  constructor(options: PrometheusOptions) {
    const { url, caFile, credentialsFile, timeoutMs = TIMEOUT_MS, maxBytes = MOST_BYTES } = options
    this.#timeoutMs = timeoutMs
    this.#maxBytes = maxBytes
    this.#endpoint = new Endpoint({
      name: NAME,
      url,
      ...(caFile !== undefined && { ca: new FreshFile(caFile, 'metricsCaFile') }),
      timeoutMs,
      sockets: SOCKETS,
    })
    this.#credential =
      credentialsFile === undefined
        ? undefined
        : new CredentialFile(credentialsFile, 'metricsCredentialsFile')
  }

  /** Reads the files now, so that a process does not start with wrong ones. @throws ServiceSettingError */
  async prepare(): Promise<this> {
    await this.#endpoint.prepare()
    await this.#credential?.current()
    return this
  }

  instant(query: string, at: string | undefined, signal: AbortSignal): Promise<MetricsAnswer> {
    return this.#query('query', { query, ...(at !== undefined && { time: at }) }, signal)
  }

  range(
    query: string,
    range: { readonly start: string; readonly end: string; readonly step: string },
    signal: AbortSignal,
  ): Promise<MetricsAnswer> {
    return this.#query('query_range', { query, ...range }, signal)
  }

  close(): Promise<void> {
    return this.#endpoint.close()
  }

  async #query(
    kind: 'query' | 'query_range',
    fields: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<MetricsAnswer> {
    // Prometheus cancels a query by itself when its client disconnects.
    const body = new URLSearchParams({ ...fields, timeout: `${this.#timeoutMs}ms` }).toString()
    let { authorization, answer } = await this.#send(kind, body, signal)
    if (answer.status === 401 && this.#credential) {
      // A credential that was just replaced: a query may be repeated.
      this.#credential.refused()
      const isNew = (await this.#authorization()) !== authorization
      if (isNew) ({ authorization, answer } = await this.#send(kind, body, signal))
    }
    return readAnswer(answer.status, answer.body, kind === 'query' ? 'instant' : 'range')
  }

  async #send(kind: 'query' | 'query_range', body: string, signal: AbortSignal) {
    const authorization = await this.#authorization()
    const answer = await this.#endpoint.send({
      // A POST, because queries may be longer than a URL.
      method: 'POST',
      path: `/api/v1/${kind}`,
      headers: {
        accept: 'application/json',
        'content-type': 'application/x-www-form-urlencoded',
        ...(authorization !== undefined && { authorization }),
      },
      body,
      maxBytes: this.#maxBytes,
      signal,
    })
    return { authorization, answer }
  }

  async #authorization(): Promise<string | undefined> {
    try {
      return this.#credential && authorizationOf(await this.#credential.current())
    } catch (cause) {
      throw unusable(NAME, cause)
    }
  }
}
