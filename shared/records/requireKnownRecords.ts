/** Checks that the records of a request exist and are seen. For the endpoints that link items to records. */
import type { Caller } from '../accounts/access/principal.ts';
import type { DomainDeps } from '../accounts/deps.ts';
import { isSameRecord, unknownRecordFault } from '../items/links.ts';
import type { RecordRef } from '../items/model.ts';
import { findRecordsAnywhere } from './read.ts';

/** Returns whether the app that serves the record's resource is offline, so that nobody can say whether the record exists. */
const isUnverifiable = async (
  { link }: Pick<DomainDeps, 'link'>,
  { env }: Caller,
  { resource: name }: RecordRef,
): Promise<boolean> =>
  env.definition.resources.get(name)?.source === 'app' && !(await link.online(env.id, { kind: 'resource', name }));

/** Throws `invalid` at the path of its place in the list for a record that doesn't exist or whose resource the caller doesn't see. */
export const requireKnownRecords = async (
  deps: Pick<DomainDeps, 'db' | 'link'>,
  caller: Caller,
  refs: readonly RecordRef[],
  pathOf: (i: number) => string,
): Promise<void> => {
  if (refs.length === 0) return;
  const { env, principal } = caller;
  const seen = refs.filter(({ resource }) => principal.access.sees('resource', resource));
  const found = await findRecordsAnywhere(deps, env, seen);
  for (const [i, ref] of refs.entries()) {
    if (found.some((record) => isSameRecord(record, ref))) continue;
    if (seen.includes(ref) && (await isUnverifiable(deps, caller, ref))) continue;
    throw unknownRecordFault(pathOf(i));
  }
};
