/**
 * The sentence that states what an approval would do, for one role: from the label of the action or the key of the flag, and the
 * values. Used by present.ts.
 */
import type { Access } from '../../access/access.ts';
import type { ApprovalDraft } from '../../approvals/model.ts';
import { isObject } from '../../platform/core/jsonLimits.ts';
import { plainText, quote, quoteName } from './quote.ts';

/** Stands for everything that the reader doesn't see. */
const unseen = "a record you can't see";

/** Values in one sentence; of more the number is said. */
const valuesMax = 20;

type Json = Readonly<Record<string, unknown>>;

const objectOf = (value: unknown): Json => (isObject(value) ? value : {});

/** Returns the first texts as a list, and how many more there are. */
const listed = (texts: readonly string[]): string => {
  const rest = texts.length - valuesMax;
  return `${texts.slice(0, valuesMax).join(', ')}${rest > 0 ? ` and ${String(rest)} more` : ''}`;
};

/** In the order of the names, which the requester doesn't choose. */
const sortedEntries = (values: Json): [string, unknown][] =>
  Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1));

const isRecordRef = (value: unknown): value is { readonly resource: string; readonly id: string } =>
  isObject(value) && typeof value['resource'] === 'string' && typeof value['id'] === 'string';

const units = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const;

/** Returns milliseconds in the largest unit that they are a multiple of. */
const duration = (value: unknown): string => {
  const ms = Number(value);
  const [size, unit] = units.find(([one]) => ms % one === 0) ?? [1, 'ms'];
  return quote(`${String(ms / size)} ${unit}`);
};

const time = (value: unknown): string => {
  const at = new Date(Number(value));
  return Number.isNaN(at.getTime()) ? quote(value) : quote(at.toISOString());
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
    return `${quoteName(resource)} ${quote(id)}${typeof title === 'string' ? ` (${quote(title)})` : ''}`;
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

  /** The input of an action: what it declares before what it doesn't, whose names the requester makes up. */
  withInput(values: unknown, declared: readonly string[] | null = null): string {
    const given = sortedEntries(objectOf(values));
    const isDeclared = new Set(declared ?? []);
    const ordered = [
      ...given.filter(([name]) => isDeclared.has(name)),
      ...given.filter(([name]) => !isDeclared.has(name)),
    ];
    return ordered.length === 0 ? '' : `, with ${listed(ordered.map(([name, value]) => this.member(name, value)))}`;
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
    return `${what}${on}${this.withInput(approval['input'], approval.declared)}`;
  }

  guard(value: unknown): string {
    const { inbox, above, within, then: end } = objectOf(value);
    if (typeof inbox !== 'string') return '';
    if (!this.#access.sees('inbox', inbox)) return `, guarded by ${unseen}`;
    return `, ${end === 'rollback' ? 'rolled back' : 'stopped'} by more than ${quote(above)} occurrences in ${quoteName(inbox)} within ${duration(within)}`;
  }

  ramp(value: unknown): string {
    if (!isObject(value)) return 'stop its ramp';
    const { to, over, every, at, guard } = value;
    const start = at === undefined || at === null ? '' : ` from ${time(at)}`;
    return `a ramp${start} to ${quote(to)} percent over ${duration(over)} in steps of ${duration(every)}${this.guard(guard)}`;
  }

  targets(targets: Json, resource: unknown): string {
    if (typeof resource === 'string' && !this.#access.sees('resource', resource)) return `the value for ${unseen}`;
    return listed(
      sortedEntries(targets).map(([id, value]) =>
        value === null ? `no own value for ${quote(id)}` : `the value ${quote(value)} for ${quote(id)}`,
      ),
    );
  }

  flag({ flag, ...approval }: ApprovalDraft): string {
    if (flag !== null && !this.#access.sees('flag', flag)) return `Change ${unseen}`;
    const given = objectOf(approval['change']);
    const { value, rollout, targets, rules, ramp } = given;
    const parts = [
      ...('value' in given ? [`value ${quote(value)}`] : []),
      ...('rollout' in given ? [rollout === null ? 'no rollout' : `rollout ${quote(rollout)} percent`] : []),
      ...('targets' in given ? [this.targets(objectOf(targets), objectOf(approval['before'])['resource'])] : []),
      ...('rules' in given ? [`${quote(Array.isArray(rules) ? rules.length : 0)} rules`] : []),
      ...('ramp' in given ? [this.ramp(ramp)] : []),
    ].filter((part) => part !== '');
    return `Change the flag ${quoteName(flag ?? '')}: ${parts.join(', ')}`;
  }

  /** The members of an update, one after the other. */
  update(operation: Json): string {
    const { state, assignee, tags, snooze, note, links, undo: _, ...rest } = operation;
    return [
      ...('state' in operation ? [`state ${quote(state)}`] : []),
      ...('assignee' in operation
        ? [assignee === null ? 'nobody assigned' : `assignee ${this.assignee(assignee)}`]
        : []),
      ...('tags' in operation ? [`tags: ${this.added(tags)}`] : []),
      ...('snooze' in operation ? [snooze === null ? 'no snooze' : `snoozed until ${time(snooze)}`] : []),
      ...('note' in operation ? [`note ${quote(note)}`] : []),
      ...('links' in operation ? [`links: ${this.added(links)}`] : []),
      ...('undo' in operation ? ['as it was before an earlier change'] : []),
      ...(Object.keys(rest).length > 0 ? [this.members(rest)] : []),
    ].join(', ');
  }

  /** What an operation does to `target`: an item, or the items of a bulk. */
  operation({ type, ...members }: Json, target: string): string {
    const { state, assignee, until, text, subject, then: after, inbox, title, ...rest } = members;
    switch (type) {
      case 'state':
        return `Set the state of ${target} to ${quote(state)}`;
      case 'assign':
        return assignee === null ? `Unassign ${target}` : `Assign ${target} to ${this.assignee(assignee)}`;
      case 'tags':
        return `Change the tags of ${target}: ${this.added(members)}`;
      case 'snooze':
        return until === null ? `Wake ${target}` : `Snooze ${target} until ${time(until)}`;
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
        return `${type === 'triage' ? 'Triage' : 'Change'} ${target}: ${this.update(members)}`;
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
    return this.operation(given, isSeen ? quote(typeof title === 'string' ? title : '') : unseen);
  }

  bulk({ label, action, total, ...approval }: ApprovalDraft): string {
    const items = total === 1 ? '1 item' : `${String(total ?? 0)} items`;
    const given = objectOf(approval['operation']);
    if (given['type'] !== 'action') return this.operation(given, items);
    return `${actionName(label, action)} on the records of ${items}${this.withInput(given['input'], approval.declared)}`;
  }
}

/** Returns the sentence. `approval` is not redacted: what the role doesn't see reads "a record you can't see". */
export const approvalSentence = (approval: ApprovalDraft, access: Access): string => {
  const sentence = new Sentence(access, approval.label);
  return `${sentence[approval.kind](approval)}.`;
};
