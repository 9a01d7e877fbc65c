/** The errors that the admin tool prints without a stack trace. */

/** A mistake in how the command is written: printed with the command's usage, exit code 2. */
export class UsageError extends Error {}

/** A command that can't be done at present: printed as one sentence, exit code 1. */
export class CommandFailure extends Error {}
