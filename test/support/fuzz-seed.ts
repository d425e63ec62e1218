/** The same by default, so that a run can be repeated; another explores further: `FUZZ_SEED=$RANDOM npm test`. */
export const fuzzSeed = Number(process.env.FUZZ_SEED ?? 20_260_301)
