/** The service cannot start, for a reason the person at the console can mend: shown as one line, without a stack. */
export class StartFailure extends Error {}
