/** How many scenarios are compared: `KAIRSHIP_DECISIONS=100000` asks more. */
export const numRuns = Number(process.env.KAIRSHIP_DECISIONS ?? 3_000)
/** `KAIRSHIP_RANDOM_SEED` asks others. */
export const seed = Number(process.env.KAIRSHIP_RANDOM_SEED ?? 20_261_122)
