/** Encodings of encodings are followed so deep: a key in a kubeconfig in a Secret in an annotation in an answer has five. */
const DEEPEST = 6
const BASE64 = /[A-Za-z0-9+/]{24,}/g
const HEX = /(?:[0-9a-f]{2}){12,}/gi

/** The texts that are encoded inside a text, by base64, hexadecimal or percent signs, at any depth. */
export function decodedIn(text: string, depth = 0): readonly string[] {
  if (depth === DEEPEST) return []
  const found = [...percentDecoded(text), ...runsDecoded(text, 'base64'), ...runsDecoded(text, 'hex')]
  return found.flatMap(one => [one, ...decodedIn(one, depth + 1)])
}

function percentDecoded(text: string): string[] {
  if (!/%[0-9A-F]{2}/i.test(text)) return []
  return [
    text.replaceAll(/%([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
  ]
}

function runsDecoded(text: string, encoding: 'base64' | 'hex'): string[] {
  const unwrapped = inBase64(text).replaceAll(/(?:\\r)?\\n/g, '')
  const runs = unwrapped.match(encoding === 'base64' ? BASE64 : HEX) ?? []
  return runs.flatMap(run =>
    starts(encoding).flatMap(start => {
      const decoded = Buffer.from(run.slice(start), encoding).toString('latin1')
      return [...decoded.matchAll(PRINTABLE)].map(([printable]) => printable)
    }),
  )
}

/** A run may begin with what is not encoded, such as the end of a word. */
const starts = (encoding: 'base64' | 'hex'): readonly number[] => (encoding === 'base64' ? [0, 1, 2, 3] : [0])

/** Long enough to hold a secret: shorter pieces are what bytes happen to look like. */
const PRINTABLE = /[\t\n\r\x20-\x7e]{12,}/g

/** With the letters of plain base64 where a text has those of base64url. */
export const inBase64 = (text: string): string => text.replaceAll('-', '+').replaceAll('_', '/')
