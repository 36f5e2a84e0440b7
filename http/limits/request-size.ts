/** What a request may measure at most on either wire: as much as a kube-apiserver accepts. */
export const LARGEST_BODY = 3 * 1024 * 1024

/**
 * How many values the JSON of a request may have, and how many fields its binary message: what is decoded before it is known
 * whether the caller may call. Manifests are texts, and count as one; nothing else that is sent has a hundredth of this. A manifest
 * itself has as many values at most: reading 300,000 took up to 1.4 s on a quiet machine, in which nothing else is answered.
 */
export const MOST_VALUES = 50_000
