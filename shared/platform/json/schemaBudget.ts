/** The budget of all schemas of one manifest: their check and what is kept of them stay small, however many schemas are within their own limits. Used by jsonSchemaProblems.ts and shared/app/manifest. */

/** Limits of all schemas of a manifest. docs/manifest.md names them. */
const manifestLimits = {
  schemas: 25_000,
  /** Different ones, as equal ones are compiled once. */
  patterns: 5_000,
  /** Of the compiled patterns: `^[a-z]+@example\.com$` has 20. What else a pattern takes is counted as instructions. */
  instructions: 200_000,
} as const;

export interface SchemaBudget {
  takeSchemas(count: number): void;
  takePattern(pattern: string, instructions: number): void;
  /** The limit that is exceeded, as the message of a problem; null while there is none. */
  readonly problem: string | null;
}

const tooMany = (limit: number, what: string): string =>
  `is too much: up to here the schemas of the manifest have more than ${limit.toLocaleString('en-US')} ${what}`;

/** Returns the budget of one manifest. */
export const createBudget = (): SchemaBudget => {
  const patterns = new Set<string>();
  let [schemas, instructions] = [0, 0];
  return {
    takeSchemas: (count) => {
      schemas += count;
    },
    takePattern: (pattern, size) => {
      if (patterns.has(pattern)) return;
      patterns.add(pattern);
      instructions += size;
    },
    get problem() {
      if (schemas > manifestLimits.schemas) return tooMany(manifestLimits.schemas, 'schemas inside');
      if (patterns.size > manifestLimits.patterns) return tooMany(manifestLimits.patterns, 'different patterns');
      return instructions > manifestLimits.instructions
        ? tooMany(manifestLimits.instructions, 'instructions in their compiled patterns')
        : null;
    },
  };
};
