/** Describes the subject of a job in a sentence, as far as the caller sees it. Used by list.ts and retry.ts. */
import type { Caller } from '../../accounts/access/principal.ts';
import { isBulkAuthor } from '../../bulk/queries.ts';
import { canSeeRun } from '../../runs/queries.ts';
import type { BulkFacts, JobRow, RunFacts } from './rows.ts';
import type { JobAbout } from './schema.ts';

const aboutRun = ({ id, label, resource, record }: RunFacts): JobAbout => ({
  type: 'run',
  id,
  sentence: resource === null || record === null ? label : `${label}: ${resource} ${record}`,
});

const aboutBulk = ({ id, type, total, first, items }: BulkFacts): JobAbout => ({
  type: 'bulk',
  id,
  sentence:
    first === null || items === null
      ? `A part of a bulk of ${String(total)} (${type})`
      : `Items ${String(first + 1)} to ${String(first + items)} of a bulk of ${String(total)} (${type})`,
});

const aboutFlags = (keys: readonly string[]): JobAbout | null => {
  const [first, ...others] = keys;
  if (first === undefined) return null;
  const more = others.length === 0 ? '' : ` and ${String(others.length)} more`;
  return { type: 'flag', id: first, sentence: `The next step of the ramp of ${first}${more}` };
};

/** Returns what a job is about; null for what is gone, and for what the caller doesn't see. */
export const aboutOf = (caller: Caller, { name, facts }: JobRow): JobAbout | null => {
  const { access } = caller.principal;
  const { run, bulk, item, flags, erasure } = facts ?? {};
  if (run) return canSeeRun(caller, run) ? aboutRun(run) : null;
  // Its sentence counts items of every inbox.
  const seesBulk = access.may('audit', 'see') && access.namesSeen('inbox') === null;
  if (bulk) return isBulkAuthor(caller, bulk) || seesBulk ? aboutBulk(bulk) : null;
  if (item)
    return access.sees('inbox', item.inbox)
      ? { type: 'item', id: item.id, sentence: `${name === 'replySend' ? 'A reply' : 'Triage'}: ${item.title}` }
      : null;
  if (flags) return aboutFlags(flags.filter((key) => access.sees('flag', key)));
  if (erasure)
    return { type: 'erasure', id: erasure.id, sentence: `The erasure of ${erasure.resource} ${erasure.record}` };
  return null;
};
