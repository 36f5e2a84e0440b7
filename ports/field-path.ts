/** Where a field stands in a document, as its writer finds it: `jwt[0].issuer.url`; of the whole, `the document`. */
export const fieldPath = (path: readonly PropertyKey[]): string =>
  path
    .map(part => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '') || 'the document'
