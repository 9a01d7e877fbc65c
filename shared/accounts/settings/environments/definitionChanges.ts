/** Compares a new definition with the one before: warnings for the declaring app, and changes that are refused. For defineEnvironment.ts. */
import { isDeepStrictEqual } from 'node:util';
import type { Definition, InboxDefinition } from '../../../app/manifest/definition.ts';
import type { ManifestFlag } from '../../../app/manifest/manifest.ts';
import type { FaultDetail } from '../../../catalogue/errors.ts';
import type { Tx } from '../../../platform/db/knex.ts';
import { queryRow, statement } from '../../../platform/db/sql.ts';

const stateHasItemsSql = statement(
  'definitions.occupied',
  'select 1 as found from items where env = $1 and inbox = $2 and state = $3 limit 1',
);

interface KindChange {
  readonly path: string;
  readonly inbox: string;
  readonly state: string;
  readonly from: string;
  readonly to: string;
}

const kindChanges = (before: Definition, after: Definition): KindChange[] =>
  (after.manifest.inboxes ?? []).flatMap(({ name: inbox }, i) =>
    (after.inboxes.get(inbox)?.states ?? []).flatMap(({ name: state, kind: to }, j) => {
      const from = before.inboxes.get(inbox)?.stateOf(state)?.kind;
      return from === undefined || from === to
        ? []
        : [{ path: `inboxes.${String(i)}.states.${String(j)}.kind`, inbox, state, from, to }];
    }),
  );

/**
 * Returns a problem for each state with items whose kind changes. Items store whether they are closed, and deadlines,
 * snoozes and counts depend on that, so that a new kind would make them wrong.
 */
export const stateKindProblems = async (
  tx: Tx,
  envId: number,
  before: Definition,
  after: Definition,
): Promise<FaultDetail[]> => {
  const details: FaultDetail[] = [];
  for (const { path, inbox, state, from, to } of kindChanges(before, after)) {
    if ((await queryRow(tx, stateHasItemsSql, [envId, inbox, state])) === undefined) continue;
    details.push({
      path,
      message: `was ${from} and can’t become ${to} while the inbox ${inbox} has items in the state ${state}: declare a state of another name and move them`,
    });
  }
  return details;
};

const inboxWarnings = (known: InboxDefinition | undefined, inbox: InboxDefinition): string[] => {
  if (known === undefined) return [];
  if (inbox.retired)
    return known.retired
      ? []
      : [`The inbox ${inbox.name} is retired: its items stay readable, and no new item enters it.`];
  return inbox.retiredStates
    .filter(({ name }) => known.states.some((state) => state.name === name))
    .map(
      ({ name }) =>
        `The state ${name} of the inbox ${inbox.name} is retired: items leave it freely, and none enters it any more.`,
    );
};

const removedNames = (before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, unknown>): string[] =>
  [...before.keys()].filter((name) => !after.has(name));

/** Returns a sentence for each part that the new definition takes out of use, for the developers of the app. */
export const definitionWarnings = (before: Definition, after: Definition): string[] => [
  ...[...after.inboxes.values()].flatMap((inbox) => inboxWarnings(before.inboxes.get(inbox.name), inbox)),
  ...removedNames(before.resources, after.resources).map(
    (name) => `The resource ${name} is hidden: its records are kept, and nobody sees them until it is declared again.`,
  ),
  ...removedNames(before.actions, after.actions).map(
    (name) => `The action ${name} is gone: its queued runs end failed, and its approvals stale.`,
  ),
  ...removedNames(before.flags, after.flags).map(
    (key) => `The flag ${key} is hidden: it keeps its value until it is declared again.`,
  ),
  ...[...after.flags.values()].flatMap(({ key, kind }) => {
    const former = before.flags.get(key)?.kind;
    return former === undefined || former === kind
      ? []
      : [
          `The flag ${key} was of kind ${former} and is of kind ${kind} now: it falls back to its default, or to what it was when it was last changed as one.`,
        ];
  }),
];

/** Returns the flags whose declaration is new or has changed. */
export const changedFlags = (before: Definition, after: Definition): ManifestFlag[] =>
  [...after.flags.values()].filter((flag) => !isDeepStrictEqual(flag, before.flags.get(flag.key)));
