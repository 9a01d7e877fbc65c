/**
 * How many times longer than promised something may take: more than once only while lanes of tests share the processors, as the
 * whole suite runs (test/services/testCommand.mjs).
 */
export const patience = Number(process.env['TEST_PATIENCE'] ?? 1);
