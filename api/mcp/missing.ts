/** Adds to a 404 of a tool the argument that names nothing and its likely mistake. Used by result.ts. */
import { Fault } from '../../shared/catalogue/errors.ts';
import type { Members } from './answers/members.ts';

interface Kind {
  readonly prefix: string;
  readonly noun: string;
  readonly reader: string;
  readonly finder: string;
}

/** Kinds of things with ids of the service, by the first part of the paths of their endpoints. */
const kinds: Readonly<Record<string, Kind>> = {
  items: { prefix: 'itm', noun: 'an item', reader: 'get_item', finder: 'search finds items by their words' },
  runs: { prefix: 'run', noun: 'a run', reader: 'get_run', finder: 'list_runs has those that you see' },
  bulk: { prefix: 'blk', noun: 'a bulk', reader: 'get_bulk', finder: 'list_bulks has those that you see' },
  approvals: {
    prefix: 'apr',
    noun: 'an approval',
    reader: 'get_approval',
    finder: 'list_approvals has those that you see',
  },
};

const idForm = /^([a-z]{3})_[0-7][0-9a-hjkmnp-tv-z]{25}$/;

/** Returns what is wrong with an id where a thing of this kind belongs; it depends on the id's form alone. */
const idProblem = ({ prefix, noun, finder }: Kind, id: string): string => {
  const [, given] = idForm.exec(id) ?? [];
  if (given === prefix) return `is the id of none that you can see; ${finder}`;
  const other = Object.values(kinds).find((kind) => kind.prefix === given);
  if (other !== undefined)
    return `is the id of ${other.noun}, and this takes that of ${noun}: ${other.reader} reads it`;
  return `must be the whole id of ${noun}, ${prefix}_ and 26 characters; ${finder}`;
};

/** Returns the fault with the argument that names nothing, where it does not say so; `root`: the first part of the endpoint's path. */
export const withMissingArgument = (failure: Fault, root: string | null, { id, resource }: Members): Fault => {
  const { code, message, extra } = failure;
  if (code !== 'not_found' || extra.details !== undefined || root === null || typeof id !== 'string') return failure;
  const kind = Object.hasOwn(kinds, root) ? kinds[root] : undefined;
  const problem =
    kind !== undefined
      ? idProblem(kind, id)
      : root === 'resources' && typeof resource === 'string'
        ? `is the whole id of no ${resource.slice(0, 100)} that you can see; search finds records by their names`
        : null;
  return problem === null
    ? failure
    : new Fault(code, message, { ...extra, details: [{ path: 'id', message: problem }] });
};
