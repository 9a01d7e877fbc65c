/** What an answer says beside the endpoint's body: the tool to ask next, what waits besides, why nothing is found. Used by result.ts. */
import { findVisibleInbox } from '../../shared/accounts/access/principal.ts';
import type { Approval } from '../../shared/approvals/model.ts';
import { readOtherRequests } from '../../shared/approvals/others.ts';
import { readVisibleApproval } from '../../shared/approvals/queries.ts';
import type { Fault } from '../../shared/catalogue/errors.ts';
import { inboxesOf } from '../../shared/items/filters/filters.ts';
import { statesOf } from '../../shared/items/inboxRules.ts';
import { readItems } from '../../shared/items/model.ts';
import { unknownTag } from '../../shared/items/tags.ts';
import { readTimeline } from '../../shared/items/timeline.ts';
import { isObject } from '../../shared/platform/json/jsonLimits.ts';
import type { EndpointCall } from '../endpoint.ts';
import { type Members, objectsIn } from './answers/members.ts';
import { toList, toObject } from './arguments/coerce.ts';
import { filtersHint, whereHint } from './valueHints.ts';

const call = (tool: string, id: unknown): string => `${tool} with ${JSON.stringify({ id })}`;

/** So many of the caller's other requests are named. */
const requestsNamed = 3;

/** Returns ids in a row, the first of many. */
const someOf = (ids: readonly string[]): string =>
  `${ids.slice(0, requestsNamed).join(', ')}${ids.length > requestsNamed ? ' and more' : ''}`;

/** Returns that the item at which an action was asked for is about another record than the action; null: it is not. */
const otherRecordHint = async (
  { deps: { db }, caller: { env, principal } }: EndpointCall,
  { kind, request, item: id }: Approval,
): Promise<string | null> => {
  if (kind !== 'action' || request.record === null || id === null) return null;
  const about = (await readItems(db, env.id, [id])).get(id)?.record ?? null;
  if (about === null || about.resource !== request.resource || about.id === request.record) return null;
  return principal.access.sees('resource', about.resource)
    ? `The item is about ${about.resource}:${about.id}, and this is for ${request.record}: if that is wrong, take it back.`
    : null;
};

const pendingHint = async (
  from: EndpointCall,
  { approval, since }: { readonly approval: unknown; readonly since: number },
): Promise<string> => {
  const { deps, caller } = from;
  const asked = await readVisibleApproval(deps.db, caller, String(approval));
  if (asked.kind === 'question')
    return `A person may answer it. Ask ${call('get_approval', approval)} with wait for the answer.`;
  const [all, own, wrong] = await Promise.all([
    readOtherRequests(deps, caller, asked),
    readOtherRequests(deps, caller, asked, caller.principal.id),
    otherRecordHint(from, asked),
  ]);
  const [other] = own;
  const foreign = all.filter((id) => !own.includes(id));
  const begin =
    asked.requested_at < since
      ? `This is your request of ${new Date(asked.requested_at).toISOString()} for the same, with its reason of then; nothing new was asked.`
      : 'Nothing is done yet.';
  const ask = `${begin} A person has to approve it. Ask ${call('get_approval', approval)} whether somebody has.`;
  return [
    ask,
    ...(wrong === null ? [] : [wrong]),
    ...(other === undefined
      ? []
      : [
          `You have asked for something on the same target before, which waits too: ${someOf(own)}. If one is too many, take it back: ${call('cancel_approval', other)}.`,
        ]),
    ...(foreign.length === 0
      ? []
      : [
          `Others have asked for something on the same target, which waits too: ${someOf(foreign)}. If it is the same, take yours back: ${call('cancel_approval', approval)}.`,
        ]),
  ].join(' ');
};

/** What an answer is that an idempotency key has brought back. */
export const repeatedAnswer =
  'This is the answer to an earlier call with the same idempotencyKey: nothing was done now.';

/** Returns what has become of what an earlier call with the same idempotency key has begun (`202`). */
export const repeatHint = async (from: EndpointCall, body: Members): Promise<string | null> => {
  const { deps, caller } = from;
  const { approval: id } = body;
  if (body['pending'] === true && typeof id === 'string') {
    const { status, expires_at: expiresAt } = await readVisibleApproval(deps.db, caller, id);
    const present = status === 'pending' && expiresAt <= deps.clock.now() ? 'expired' : status;
    if (present !== 'pending') return `${repeatedAnswer} The request is ${present}; ask ${call('get_approval', id)}.`;
  }
  const next = await nextStepHint(from, body, 0);
  return next === null ? repeatedAnswer : `${repeatedAnswer} It may be further by now. ${next}`;
};

/** Returns whether a reply to the item is sent, to whom where the service sends it itself, or waits for the app. */
const replyHint = async ({ deps, caller }: EndpointCall, { item, to, warnings }: Members): Promise<string> => {
  const { reply } = (isObject(item) ? findVisibleInbox(caller, String(item['inbox'])) : undefined) ?? {};
  const known = objectsIn(warnings).map(({ message }) => String(message));
  const isAway = reply?.via === 'app' && !(await deps.link.online(caller.env.id));
  const sent = isAway ? 'The app is offline: it will be sent once the app is back.' : 'It is being sent.';
  return [typeof to === 'string' ? `It is being sent to ${to}.` : sent, ...known].join(' ');
};

/** Returns the next step after a response that is not final (`202`): the tool that has the rest; or null. `since`: when the call began, in epoch ms. */
export const nextStepHint = async (from: EndpointCall, body: Members, since: number): Promise<string | null> => {
  const { approval, run, bulk, entry, item } = body;
  if (body['pending'] === true) return pendingHint(from, { approval, since });
  if (body['queued'] === true)
    return `The app is offline: it will be done once the app is back. Ask ${call('get_run', run)}, or take it back: ${call('cancel_run', run)}.`;
  if (body['running'] === true)
    return `It goes on in the background. Ask ${call('get_run', run)} until its status is succeeded, failed or unknown.`;
  if (isObject(bulk) && bulk['status'] !== 'done')
    return `It goes on in the background. Ask ${call('get_bulk', bulk['id'])} until its status is done.`;
  if (isObject(entry) && isObject(item))
    return `${await replyHint(from, body)} ${call('get_item_timeline', item['id'])} shows how ${String(entry['id'])} ended.`;
  return null;
};

const isText = (value: unknown): value is string => typeof value === 'string';

/** Returns the texts of an argument that is a list, or a text with commas. */
const textsOf = (value: unknown): string[] =>
  toList(value)
    .filter(isText)
    .map((text) => text.trim())
    .filter((text) => text !== '');

/** Returns which tool shows how an approved request ended, as an approval does not; null for other answers. */
export const approvedHint = ({ approval }: Members): string | null => {
  if (!isObject(approval) || approval['status'] !== 'approved') return null;
  const { run, bulk } = approval;
  const ask = isText(run) ? call('get_run', run) : isText(bulk) ? call('get_bulk', bulk) : null;
  return ask === null ? null : `Approved is not done: ${ask} says how it ended.`;
};

/** Returns which of the requested ids name no item that the caller sees; null: none. */
export const missingHint = ({ ids }: Members, { items }: Members): string | null => {
  const wanted = textsOf(ids);
  if (!Array.isArray(items) || wanted.length === 0) return null;
  const found = new Set(items.map((item: unknown) => (isObject(item) ? item['id'] : null)));
  const missing = wanted.filter((id) => !found.has(id));
  return missing.length === 0 ? null : `No item that you can see: ${missing.join(', ')}.`;
};

/** Returns who changed the item of a version conflict last, and how; null for other faults, and for flags, which say it themselves. */
export const conflictHint = async ({ deps, caller }: EndpointCall, { code, extra }: Fault): Promise<string | null> => {
  const current = extra.body?.['current'];
  if (code !== 'version_conflict' || !isObject(current) || !isText(current['inbox']) || !isText(current['id']))
    return null;
  const { id } = current;
  const asked = { item: id, before: null, limit: 1 };
  const { entries } = await readTimeline(deps, caller.env.id, caller.principal.access, asked);
  const [last] = entries;
  return last === undefined
    ? null
    : `The newest entry of its timeline is ${last.type} by ${last.actor.name}, ${new Date(last.at).toISOString()}; ${call('get_item_timeline', id)} has the others.`;
};

/** Returns a warning that the new assignee may not work on the item; null when they may. */
export const assigneeHint = ({ deps }: EndpointCall, asked: Members, { item }: Members): string | null => {
  if (!isText(asked['assignee']) || !isObject(item) || !isText(item['assignee'])) return null;
  const inbox = String(item['inbox']);
  const person = deps.directory.person(item['assignee']);
  if (person === undefined || person.access.inboxVerbs(inbox).some((verb) => verb !== 'see')) return null;
  return `${person.name} may only see ${inbox}, and can’t work on the item; list_people has those who can first.`;
};

/** Returns that the inbox has none of the states that are asked for; or null. */
const stateHint = ({ caller }: EndpointCall, { inbox: name, state }: Members): string | null => {
  const inbox = isText(name) ? findVisibleInbox(caller, name) : undefined;
  const wanted = textsOf(state);
  if (inbox === undefined || wanted.length === 0) return null;
  const states = statesOf([inbox]);
  return wanted.some((one) => states.has(one))
    ? null
    : `${inbox.name} has no state ${wanted.join(', ')}; its states are ${[...states].join(', ')}.`;
};

/** Returns which of the tags that are asked for no item has, and which was probably meant; or null. */
const tagsHint = async ({ caller, deps }: EndpointCall, { inbox, tags }: Members): Promise<string | null> => {
  const inboxes = inboxesOf(caller, isText(inbox) ? inbox : undefined).map(({ name }) => name);
  for (const wanted of textsOf(tags)) {
    const unknown = await unknownTag(deps.db, caller.env.id, inboxes, wanted);
    if (unknown !== null) return unknown;
  }
  return null;
};

/** Returns what the endpoint warns of; null: of nothing, or it is a reply that is sent, whose next step says it. */
export const warningHint = ({ warnings, entry }: Members): string | null => {
  if (entry !== undefined) return null;
  const messages = objectsIn(warnings).map(({ message }) => String(message));
  return messages.length === 0 ? null : messages.join(' ');
};

/** Returns why a bulk does nothing: its query found none, or the only inbox does not have the state; or null. */
export const bulkHint = async (from: EndpointCall, asked: Members, { bulk }: Members): Promise<string | null> => {
  const [query, operation] = [toObject(asked['query']), toObject(asked['operation'])];
  if (!isObject(query) || !isObject(operation)) return null;
  const unknown = stateHint(from, { inbox: query['inbox'], state: operation['state'] });
  if (unknown !== null) return `No item can change: ${unknown}`;
  if (!isObject(bulk) || bulk['total'] !== 0) return null;
  const why =
    stateHint(from, query) ?? (await tagsHint(from, query)) ?? (await whereHint(from, query)) ?? recordHint(query);
  return `No item fits the query: nothing was done.${why === null ? '' : ` ${why}`}`;
};

const recordHint = ({ record }: Members): string | null =>
  isText(record) ? `No item that fits is about ${record}; get_record says whether there is such a record.` : null;

/** Returns why filters may find nothing: a state, a tag or a value that nothing can have or has, or a record without items; or null. */
export const emptyHint = async (from: EndpointCall, asked: Members, body: Members): Promise<string | null> => {
  const isEmpty = [body['items'], body['groups']].some((list) => Array.isArray(list) && list.length === 0);
  if (!isEmpty) return stateHint(from, asked) ?? filtersHint(from, asked, body);
  return stateHint(from, asked) ?? (await tagsHint(from, asked)) ?? (await whereHint(from, asked)) ?? recordHint(asked);
};
