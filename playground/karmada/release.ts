/** The Karmada whose behaviour is embedded, and which the embedded operator installs. */
export const KARMADA_RELEASE = 'v1.18.2'
