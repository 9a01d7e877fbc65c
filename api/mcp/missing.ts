/** Adds to a 404 of a tool the argument that names nothing and its likely mistake. Used by result.ts. */
import { Fault } from '../../shared/catalogue/errors.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import { isObject } from '../../shared/platform/json/jsonLimits.ts';
import { foldCase, queryWords } from '../../shared/platform/words/searchWords.ts';
import { searchEverything } from '../../shared/views/search/search.ts';
import type { EndpointCall } from '../endpoint.ts';
import type { Members } from './answers/members.ts';
import type { Tool } from './tool.ts';

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

/** Returns what the caller sees under this title: the ids of items, the references of records of the resource. */
const withTitle = async (
  { deps, caller }: EndpointCall,
  title: string,
  resource: unknown,
): Promise<readonly string[]> => {
  const words = queryWords(title).length;
  if (title.length > limits.searchMax || words === 0 || words > limits.searchWords) return [];
  const types = [typeof resource === 'string' ? ('records' as const) : ('items' as const)];
  const { results } = await searchEverything(deps, caller, { q: title, types, limit: limits.pageDefault });
  const hits: readonly Members[] = results.map((one) => ({ ...one }));
  const found = hits.flatMap(({ item, record }): Members[] => [item, record].filter(isObject));
  return found
    .filter((one) => foldCase(String(one['title'])) === foldCase(title).trim())
    .filter((one) => typeof resource !== 'string' || one['resource'] === resource)
    .map((one) => String(one['id']));
};

/** Returns with what a tool is to be called in place of a title; null: the title is that of nothing, or of too many. */
const titleProblem = async (
  call: EndpointCall,
  tool: string,
  { id, resource }: { readonly id: string; readonly resource: unknown },
): Promise<string | null> => {
  const found = await withTitle(call, id, resource);
  const wanted = (one: string): string =>
    JSON.stringify({ ...(typeof resource === 'string' ? { resource } : {}), id: one });
  if (found.length === 1) return `is a title; call ${tool} with ${wanted(String(found[0]))}`;
  return found.length === 0 ? null : `is the title of several; give the id of one: ${found.slice(0, 5).join(', ')}`;
};

/** Returns the fault with the argument that names nothing, where it does not say so. */
export const withMissingArgument = async (
  call: EndpointCall,
  failure: Fault,
  { name, root }: Pick<Tool, 'name' | 'root'>,
  { id, resource }: Members,
): Promise<Fault> => {
  const { code, message, extra } = failure;
  if (code !== 'not_found' || extra.details !== undefined || root === null || typeof id !== 'string') return failure;
  const kind = Object.hasOwn(kinds, root) ? kinds[root] : undefined;
  const isOfRecord = root === 'resources' && typeof resource === 'string';
  const titled =
    isOfRecord || (root === 'items' && !idForm.test(id))
      ? await titleProblem(call, name, { id, resource: isOfRecord ? resource : null })
      : null;
  const problem =
    titled ??
    (kind !== undefined
      ? idProblem(kind, id)
      : isOfRecord
        ? `is the whole id of no ${resource.slice(0, 100)} that you can see; search finds records by their names`
        : null);
  return problem === null
    ? failure
    : new Fault(code, titled === null ? message : 'The id is none; see details.', {
        ...extra,
        details: [{ path: 'id', message: problem }],
      });
};
