/** What `GET /changes` is narrowed by: types and inboxes, and for the tool for models who did it. Used by api/routes/live.ts. */
import { type Caller, unknownName } from '../../shared/accounts/access/principal.ts';
import { toBulkScope } from '../../shared/bulk/scope.ts';
import { isObject } from '../../shared/platform/json/jsonLimits.ts';
import { foldCase } from '../../shared/platform/words/searchWords.ts';
import type { ChangesQuery, ChangesRequest } from './changes.ts';
import type { StreamPart } from './visibility.ts';

type Members = Readonly<Record<string, unknown>>;

const membersOf = (value: unknown): Members => (isObject(value) ? value : {});

/** Returns the principals who did what a message is about: whoever changed, asked, ran or decided. */
const actorsOf = (message: Members): Members[] => {
  const { by, entry, run, approval, bulk } = message;
  const { requestedBy, decidedBy } = membersOf(approval);
  return [by, membersOf(entry)['actor'], membersOf(run)['by'], membersOf(bulk)['by'], requestedBy, decidedBy].map(
    membersOf,
  );
};

/** Principals that are named by their type. */
const types = new Set<unknown>(['agent', 'person', 'app', 'system']);

/** Returns whether a message is about what somebody did, who is named by id or name, is the caller (`me`), or of a type. */
const isByAnyOf =
  ({ principal }: Caller, given: readonly string[]): ((message: object) => boolean) =>
  (message) =>
    actorsOf({ ...message }).some(({ type, id, name }) =>
      given.some((who) =>
        who === 'me'
          ? id === principal.id
          : id === who ||
            (types.has(type) && type === who) ||
            (typeof name === 'string' && foldCase(name) === foldCase(who)),
      ),
    );

const toList = (value: unknown): string[] | null =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : null;

/** Returns the inboxes; null: all. Throws `not_found` for one that the caller doesn't see. */
const visibleInboxes = (
  { env, principal: { access } }: Caller,
  names: readonly string[] | undefined,
): ReadonlySet<string> | null => {
  if (names === undefined) return null;
  const known = [...env.definition.inboxes.keys()].filter((name) => access.sees('inbox', name));
  names.forEach((name, n) => {
    if (!known.includes(name)) throw unknownName(`inboxes.${String(n)}`, name, known);
  });
  return new Set(names);
};

/** Returns the inboxes of what a part of the stream is about; a flag is of none. */
const inboxesOfPart = (part: StreamPart): readonly string[] => {
  if (part.type === 'item' || part.type === 'timeline' || part.type === 'claim') return [part.inbox];
  if (part.type === 'bulk') return toBulkScope(part.bulk['scope'])?.inboxes ?? [];
  if (part.type === 'run') return part.inbox === undefined || part.inbox === null ? [] : [part.inbox];
  if (part.type !== 'approval') return [];
  const { inbox, inboxes } = part.approval;
  return [...(inbox === null ? [] : [inbox]), ...(inboxes ?? [])];
};

/** Returns the request for the changes after an offset or, of a tool, a time, of these types and inboxes, by these principals or not the caller's own. */
export const narrowChanges = (caller: Caller, query: ChangesQuery, ofTool: Members | null): ChangesRequest => {
  const { since, by, exceptMe } = ofTool ?? {};
  const actors = toList(by);
  const wanted = visibleInboxes(caller, query.inboxes);
  const isByThem = isByAnyOf(caller, actors ?? ['agent', 'person', 'app', 'system']);
  const isByMe = isByAnyOf(caller, ['me']);
  return {
    query: typeof since === 'string' ? { ...query, after: since } : query,
    filter: {
      since: typeof since === 'number' ? since : null,
      types: query.types === undefined ? null : new Set(query.types),
      isAbout: wanted === null ? null : (part) => inboxesOfPart(part).some((inbox) => wanted.has(inbox)),
      isBy: exceptMe === true ? (message) => isByThem(message) && !isByMe(message) : actors === null ? null : isByThem,
    },
  };
};
