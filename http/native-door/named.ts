import type { RawSink } from '../../ports/kube-api.js'
import type { Route } from './route.js'

/** The sink, told in the head where the answer is from, and warned where it is from elsewhere than usual. */
export const named = (sink: RawSink, { to, reason, because, fallback }: Route): RawSink => ({
  head: (status, message, headers) =>
    sink.head(status, message, [
      ...headers,
      ...['Kairship-Source', to, 'Kairship-Source-Reason', reason],
      ...(fallback ? ['Warning', warning(`answered by Karmada: ${because}`)] : []),
    ]),
  data: chunk => sink.data(chunk),
  end: () => sink.end(),
  failed: error => sink.failed(error),
})

/** A warning as kubectl and client-go show it (RFC 7234, code 299). */
const warning = (text: string): string =>
  `299 kairship ${JSON.stringify(text.replaceAll(/[^ -~]/g, character => (character === '’' ? "'" : '?')))}`
