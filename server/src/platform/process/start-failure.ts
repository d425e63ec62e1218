/** The service cannot start, for a reason that the person at the console can fix: printed as one line, without a stack. */
export class StartFailure extends Error {}
