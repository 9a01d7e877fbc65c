/**
 * The sentence that states what an approval would do, for one role: from the label of the action or the key of the flag, and the
 * values. Used by present.ts.
 */
import type { Access } from '../../accounts/access/access.ts';
import { eachEdited } from '../../app/items/members.ts';
import { memberOf, withCurrency } from '../../app/manifest/money.ts';
import { changedTarget, type ApprovalDraft } from '../../approvals/model.ts';
import { canonicalJson, isObject } from '../../platform/json/jsonLimits.ts';
import { flagChanges, unseen } from './flagSentence.ts';
import { listed, plainText, quote, quoteId, quoteName, quoteTime, sortedEntries } from './quote.ts';

/** Items or records that the sentence of a bulk names. */
const namedMost = 3;

type Json = Readonly<Record<string, unknown>>;

const objectOf = (value: unknown): Json => (isObject(value) ? value : {});

const isRecordRef = (value: unknown): value is { readonly resource: string; readonly id: string } =>
  isObject(value) && typeof value['resource'] === 'string' && typeof value['id'] === 'string';

/** Returns what is in the first list and not in the second. */
const missing = (list: unknown, other: unknown): readonly unknown[] => {
  const there = new Set((Array.isArray(other) ? other : []).map(canonicalJson));
  return (Array.isArray(list) ? list : []).filter((one) => !there.has(canonicalJson(one)));
};

/** Returns the members of an item that an undo gives back, as those of an update. */
const restoredMembers = (approval: ApprovalDraft): Json => {
  const now = objectOf(changedTarget(approval, approval['now']));
  const after = objectOf(approval['after']);
  const differs = (name: string): boolean => canonicalJson(now[name] ?? null) !== canonicalJson(after[name] ?? null);
  const values = {
    state: 'state',
    ...eachEdited((name) => name),
    assignee: 'assignee',
    delegate: 'delegate',
    snooze: 'snoozedUntil',
  };
  const lists = ['tags', 'links'];
  return Object.fromEntries<unknown>([
    ...Object.entries(values).flatMap(([part, name]): [string, unknown][] =>
      differs(name) ? [[part, after[name] ?? null]] : [],
    ),
    ...lists.flatMap((name): [string, unknown][] => {
      const change = { add: missing(after[name], now[name]), remove: missing(now[name], after[name]) };
      return differs(name) ? [[name, change]] : [];
    }),
  ]);
};

/** Returns what an action is called: its label, or its name where nothing of the label is seen. */
const actionName = (label: string | null, name: string | null): string => {
  const seen = plainText(label ?? '');
  return seen === '' ? plainText(name ?? '') : seen;
};

class Sentence {
  readonly #access: Access;
  readonly #label: string | null;

  constructor(access: Access, label: string | null) {
    this.#access = access;
    this.#label = label;
  }

  /** Returns who is to be assigned: by name, where it was known. */
  assignee(id: unknown): string {
    return quote(this.#label ?? id);
  }

  record(resource: string, id: string, title?: unknown): string {
    if (!this.#access.sees('resource', resource)) return unseen;
    return `${quoteName(resource)} ${quoteId(id)}${typeof title === 'string' ? ` (${quote(title)})` : ''}`;
  }

  /** A record that an input names, whose title is null where there was none. */
  picked(resource: string, id: string, title: unknown): string {
    return `${this.record(resource, id, title)}${title === null ? ' (no such record)' : ''}`;
  }

  value(value: unknown): string {
    if (isRecordRef(value)) return this.record(value.resource, value.id);
    if (Array.isArray(value) && value.some(isRecordRef)) return listed(value.map((one) => this.value(one)));
    return quote(value);
  }

  member(name: string, value: unknown): string {
    return `${quoteName(name)} ${this.value(value)}`;
  }

  members(values: Json): string {
    return listed(sortedEntries(values).map(([name, value]) => this.member(name, value)));
  }

  withMembers(values: unknown): string {
    const told = this.members(objectOf(values));
    return told === '' ? '' : `, with ${told}`;
  }

  /** The input of an action: what it declares, in that order, with currencies and labels, before what it doesn't, whose names the requester makes up. */
  withInput(
    values: unknown,
    { declared, currencies, labels, picked }: Pick<ApprovalDraft, 'declared' | 'currencies' | 'labels' | 'picked'>,
  ): string {
    const given = sortedEntries(objectOf(values));
    const rank = new Map((declared ?? []).map((name, i) => [name, i]));
    const ordered = given.toSorted(([a], [b]) => (rank.get(a) ?? rank.size) - (rank.get(b) ?? rank.size));
    const textOf = ([name, value]: [string, unknown]): string => {
      const record = memberOf(picked, name);
      return isObject(record) && this.#access.sees('resource', String(record['resource']))
        ? `${quoteName(name)} ${this.picked(String(record['resource']), String(value), record['title'])}`
        : this.member(name, memberOf(labels, name) ?? withCurrency(value, memberOf(currencies, name)));
    };
    return ordered.length === 0 ? '' : `, with ${listed(ordered.map(textOf))}`;
  }

  /** The members of `{ add, remove }`. */
  added(values: unknown): string {
    const { add, remove } = objectOf(values);
    const part = (verb: string, list: unknown): string[] =>
      Array.isArray(list) && list.length > 0 ? [`${verb} ${listed(list.map((one) => this.value(one)))}`] : [];
    return [...part('add', add), ...part('remove', remove)].join(', ');
  }

  action({ label, action, resource, record, ...approval }: ApprovalDraft): string {
    const what = actionName(label, action);
    const title = objectOf(approval['before'])['title'];
    const on = resource === null || record === null ? '' : ` on ${this.record(resource, record, title)}`;
    const aside = approval['isAside'] === true ? ', shown on an item that is not about this record' : '';
    return `${what}${on}${this.withInput(approval['input'], approval)}${aside}`;
  }

  flag({ flag, ...approval }: ApprovalDraft): string {
    if (flag !== null && !this.#access.sees('flag', flag)) return `Change ${unseen}`;
    const { change, before, warned } = approval;
    const changes = flagChanges(this.#access, {
      change: objectOf(change),
      before: objectOf(before),
      warned: warned === true,
    });
    return `Change the flag ${quoteName(flag ?? '')}: ${changes}`;
  }

  /** The members of an update, one after the other; `restored`: those that its undo gives back. */
  update(operation: Json, restored: Json = {}): string {
    const { state, assignee, delegate, tags, snooze, note, links, undo: _, ...rest } = operation;
    return [
      ...('state' in operation ? [`state ${quote(state)}`] : []),
      ...('assignee' in operation
        ? [assignee === null ? 'nobody assigned' : `assignee ${this.assignee(assignee)}`]
        : []),
      ...('delegate' in operation
        ? [delegate === null ? 'delegated to no agent' : `delegated to the agent ${quote(delegate)}`]
        : []),
      ...('tags' in operation ? [`tags: ${this.added(tags)}`] : []),
      ...('snooze' in operation ? [snooze === null ? 'no snooze' : `snoozed until ${quoteTime(snooze)}`] : []),
      ...('note' in operation ? [`note ${quote(note)}`] : []),
      ...('links' in operation ? [`links: ${this.added(links)}`] : []),
      ...('undo' in operation
        ? [['as it was before an earlier change', this.update(restored)].filter((text) => text !== '').join(': ')]
        : []),
      ...(Object.keys(rest).length > 0 ? [this.members(rest)] : []),
    ].join(', ');
  }

  /** What an operation does to `target`: an item, or the items of a bulk. */
  operation({ type, ...members }: Json, target: string, restored?: Json): string {
    const { state, assignee, delegate, until, text, subject, then: after, inbox, title, ...rest } = members;
    switch (type) {
      case 'state':
        return `Set the state of ${target} to ${quote(state)}`;
      case 'assign':
        return [
          ...('assignee' in members
            ? [assignee === null ? `Unassign ${target}` : `Assign ${target} to ${this.assignee(assignee)}`]
            : []),
          ...('delegate' in members
            ? [
                `${'assignee' in members ? 'delegate' : 'Delegate'} ${target} to ${delegate === null ? 'no agent' : `the agent ${quote(delegate)}`}`,
              ]
            : []),
        ].join(', and ');
      case 'tags':
        return `Change the tags of ${target}: ${this.added(members)}`;
      case 'snooze':
        return until === null ? `Wake ${target}` : `Snooze ${target} until ${quoteTime(until)}`;
      case 'note':
        return `Note on ${target}: ${quote(text)}`;
      case 'reply': {
        const about = subject === undefined ? '' : ` with the subject ${quote(subject)}`;
        return `Reply to ${target}${about}: ${quote(text)}${isObject(after) ? `, then ${this.update(after)}` : ''}`;
      }
      case 'create':
        return `Create ${quote(title)} in the inbox ${quoteName(String(inbox))}${this.withMembers(rest)}`;
      case 'undo':
        return `Undo what the bulk ${quote(members['bulk'])} did to ${target}`;
      default:
        return `${type === 'triage' ? 'Triage' : 'Change'} ${target}: ${this.update(members, restored)}`;
    }
  }

  item({ inbox, ...approval }: ApprovalDraft): string {
    const title = objectOf(approval['before'])['title'];
    const isSeen = inbox === null || this.#access.sees('inbox', inbox);
    const given = objectOf(approval['operation']);
    // Also once it is created, when the approval has the new item.
    const isReport = given['type'] === 'create' && isObject(approval['before']);
    if (!isSeen && given['type'] === 'create') return isReport ? `Report ${unseen} again` : `Create ${unseen}`;
    if (isReport) {
      const { type: _, title: reported, inbox: __, ...rest } = given;
      return `Report ${quote(typeof title === 'string' ? title : '')} again, as ${quote(reported)}${this.withMembers(rest)}`;
    }
    if (!isSeen) return this.operation(given, unseen);
    return this.operation(
      given,
      quote(typeof title === 'string' ? title : ''),
      restoredMembers({ inbox, ...approval }),
    );
  }

  question({ question }: ApprovalDraft): string {
    const { text, options } = objectOf(question);
    return `Answer ${quote(text)}: ${(Array.isArray(options) ? options : []).map(quote).join(', ')}`;
  }

  itemNamed({ inbox, id, title }: Json): string {
    return this.#access.sees('inbox', String(inbox)) ? `${quoteId(String(id))} (${quote(title)})` : unseen;
  }

  /** The first of what a bulk is about, in brackets, and how many more there are; empty where they are not known. */
  named(list: unknown, total: number | null, nameOf: (one: Json) => string): string {
    const first = Array.isArray(list) ? list.filter(isObject).slice(0, namedMost).map(nameOf) : [];
    if (first.length === 0) return '';
    const more = (total ?? first.length) - first.length;
    return ` (${[...new Set(first)].join(', ')}${more > 0 ? ` and ${String(more)} more` : ''})`;
  }

  bulk({ label, action, total, ...approval }: ApprovalDraft): string {
    const given = objectOf(approval['operation']);
    const count = (noun: string): string => (total === 1 ? `1 ${noun}` : `${String(total ?? 0)} ${noun}s`);
    const now = objectOf(approval['now']);
    if (given['type'] !== 'action')
      return this.operation(
        given,
        `${count('item')}${this.named(now['items'], total, (item) => this.itemNamed(item))}`,
      );
    const refers = 'records' in given;
    const named = this.named(refers ? now['refs'] : now['items'], total, (one) => {
      const { resource, id, title } = objectOf(refers ? one : one['record']);
      return isRecordRef({ resource, id }) ? this.record(String(resource), String(id), title) : this.itemNamed(one);
    });
    const what = refers ? count('record') : `the records of ${count('item')}`;
    return `${actionName(label, action)} on ${what}${named}${this.withInput(given['input'], approval)}`;
  }
}

/** Returns the sentence. `approval` is not redacted: what the role doesn't see reads "a record you can't see". */
export const approvalSentence = (approval: ApprovalDraft, access: Access): string => {
  const sentence = new Sentence(access, approval.label);
  return `${sentence[approval.kind](approval)}.`;
};
