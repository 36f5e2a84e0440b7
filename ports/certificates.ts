/** The certificates of a PEM text, each as a PEM text; whatever is between them is left out. */
export const certificatesOf = (pem: string): readonly string[] =>
  pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? []
