/** Finds records for a search in every resource that the role sees. Used by search.ts. */
import type { Caller } from '../../accounts/access/principal.ts';
import type { ManifestResource } from '../../app/manifest/manifest.ts';
import { Fault } from '../../catalogue/errors.ts';
import { textsIn } from '../../items/search/itemWords.ts';
import { parseRawRecord, type FullRecord } from '../../records/queries.ts';
import { searchRecords } from '../../records/read.ts';
import type { ViewDeps } from '../deps.ts';
import { rateTexts, type FoundText } from './excerpt.ts';
import type { Hit, SearchRequest } from './items.ts';

/** ms that an app has for a search of one of its resources. */
const appSearchMs = 500;

/** How much a hit counts by where it is. */
const weights = { title: 4, id: 4, subtitle: 2, fields: 2 } as const;

const textsOf = (
  { id, title, subtitle, fields }: FullRecord,
  { fields: declared = [] }: ManifestResource,
): FoundText[] => [
  { text: title, weight: weights.title },
  { text: id, weight: weights.id },
  { text: subtitle ?? '', weight: weights.subtitle },
  ...declared
    .filter(({ name, search }) => search === true && Object.hasOwn(fields, name))
    .flatMap(({ name }) => textsIn(fields[name]).map((text) => ({ text, weight: weights.fields }))),
];

/** Returns the best records of a resource, or null when the app that serves it does not answer in time. */
const searchResource = async (
  deps: ViewDeps,
  caller: Caller,
  resource: ManifestResource,
  { words, query, limit }: SearchRequest,
): Promise<Hit[] | null> => {
  try {
    const { records } = await searchRecords(deps, caller, resource.name, { q: query, limit, timeoutMs: appSearchMs });
    return records.map((raw) => {
      const record = parseRawRecord(caller.env.definition, raw);
      const { score, matched } = rateTexts(textsOf(record, resource), words, query);
      const { resource: name, id, title, subtitle, fields, updatedAt } = record;
      return {
        result: { type: 'record', record: { resource: name, id, title, subtitle, fields, updatedAt }, matched },
        score,
      };
    });
  } catch (error) {
    if (error instanceof Fault && resource.source === 'app') return null;
    throw error;
  }
};

interface RecordHits {
  /** The hits of each resource, best first. */
  readonly hits: readonly (readonly Hit[])[];
  /** Resources whose app did not answer. */
  readonly incomplete: readonly string[];
}

/** Searches all resources that the role sees, at the same time. */
export const searchAllRecords = async (deps: ViewDeps, caller: Caller, request: SearchRequest): Promise<RecordHits> => {
  const { access } = caller.principal;
  const resources = [...caller.env.definition.resources.values()].filter(({ name }) => access.sees('resource', name));
  const found = await Promise.all(resources.map((resource) => searchResource(deps, caller, resource, request)));
  return {
    hits: found.filter((hits) => hits !== null),
    incomplete: resources.filter((_resource, n) => found[n] === null).map(({ name }) => name),
  };
};
