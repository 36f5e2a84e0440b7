/**
 * Whether an image is where it says it is. A playground has no registries: every image is on every node, except those whose
 * name begins with `fake/`. They let you see what happens when a rollout cannot start its pods.
 */
export const isPullable = (image: string): boolean => !image.startsWith('fake/')
