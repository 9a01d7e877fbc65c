/** The kinds of rows that environments may keep for a time of their own; `shared/accounts/settings/environments/retention.ts` sets it. */

interface RetentionKind {
  readonly kind: string;
  /** What the admin command calls it: `--<option> <days>`. */
  readonly option: string;
  readonly label: string;
  /** How long they are kept where the environment has no time of its own. */
  readonly fallback: string;
}

export const retentionKinds = [
  { kind: 'bulkResults', option: 'bulk-results', label: 'results of bulks', fallback: 'as BULK_RESULTS_DAYS says' },
  { kind: 'bulks', option: 'bulks', label: 'bulks', fallback: 'for ever' },
  { kind: 'approvals', option: 'approvals', label: 'approvals', fallback: 'for ever' },
  { kind: 'runs', option: 'runs', label: 'runs', fallback: 'for ever' },
] as const satisfies readonly RetentionKind[];

export type RetentionName = (typeof retentionKinds)[number]['kind'];

/** Kinds whose rows move to a table of months once they have ended (shared/platform/ended). */
export type EndedKind = Exclude<RetentionName, 'bulkResults'>;
