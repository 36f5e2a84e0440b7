/** What a request may measure at most on either wire: as much as a kube-apiserver accepts. */
export const LARGEST_BODY = 3 * 1024 * 1024

/**
 * How many values the JSON of a request may have, and how many fields its binary message: what is decoded before it is known
 * whether the caller may call. Manifests are texts, and count as one; nothing else that is sent has a hundredth of this.
 */
export const MOST_VALUES = 50_000
