/** The master key of every test service: the run's template database holds signing keys sealed with it. */
export const testMasterKey = Buffer.alloc(32, 7)

export const operatorKey = 'operator-key-of-the-tests-0123456789'
