/** Rates that no test and no benchmark reaches: what they measure and attack is what is behind them. */
export const manyCalls = { LANDBRIDGE_RATES: 'organization=100000000,partner=100000000,credential=100000000' }
