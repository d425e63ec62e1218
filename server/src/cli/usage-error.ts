/** A wrong command line: exit code 2, as other command line tools do. */
export class UsageError extends Error {}
