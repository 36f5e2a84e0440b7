/**
 * Makes properties draw the values that belong to the seed in `KAIRSHIP_SEED`; without it, each run draws others. CI says the
 * seed of each of its runs, and its second run of a file has the first one's.
 */
const seed = process.env.KAIRSHIP_SEED
if (seed !== undefined) {
  const { default: fc } = await import('fast-check')
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) })
}

export {}
