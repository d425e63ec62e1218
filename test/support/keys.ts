/** The master key of every test service: the run's template database holds signing keys sealed with it. */
export const testMasterKey = Buffer.alloc(32, 7)
