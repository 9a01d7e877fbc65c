// One item's life: each method does what the service's operation of that name does and writes the timeline's entry,
// so an item and its history always agree. Used by the plots; time only moves with `wait`.

import type { Draft, DraftVerdict } from './drafts/draft.ts';
import { rules, type InboxRules } from './rules.ts';
import type { DemoActor, DemoEventData, DemoEventType, DemoItem } from './types.ts';

/** More would make the demo slow to load without making it more believable. */
const MAX_ENTRIES = 8;
/** As many as the manifest keeps where it keeps a number of them. */
const MAX_OCCURRENCES = 100;

export const APP: DemoActor = { type: 'app', index: null };
export const SYSTEM: DemoActor = { type: 'system', index: null };

export class Story {
  readonly item: DemoItem;
  readonly #rules: InboxRules;
  readonly #now: number;
  #at: number;
  #over = false;

  constructor(draft: Draft, at: number, now: number) {
    const { inbox, title, record, links, fields, key } = draft;
    this.#rules = rules[inbox];
    this.#at = at;
    this.#now = now;
    const { initial, responseTime } = this.#rules;
    this.item = {
      inbox,
      title,
      state: initial,
      record,
      links,
      tags: [],
      assignee: null,
      occurrences: 1,
      users: 1,
      firstSeen: at,
      lastSeen: at,
      dueAt: responseTime === null ? null : at + responseTime,
      fields,
      snoozedUntil: null,
      triaged: false,
      triage: null,
      createdAt: at,
      updatedAt: at,
      key,
      version: 0,
      said: [{ at, title, data: fields }],
      history: [],
    };
    this.#tell('created', APP, {});
  }

  get closed(): boolean {
    return this.#rules.kindOf(this.item.state) === 'closed';
  }

  /** Returns the milliseconds since the last event. */
  get quietFor(): number {
    return this.#now - this.#at;
  }

  /**
   * Lets time pass. Returns false if that would lead beyond `now` or `entries` more would be too many; once beyond `now`
   * it returns false for ever, because what comes later in a plot can't have happened either.
   */
  wait(ms: number, entries = 1): boolean {
    this.#over ||= ms > this.quietFor;
    return !this.#over && this.waitAnyway(ms, entries);
  }

  /** Lets time pass as `wait` does, but also after a `wait` has returned false. */
  waitAnyway(ms: number, entries = 1): boolean {
    const { snoozedUntil, history } = this.item;
    const waking = snoozedUntil === null ? 0 : 1;
    if (history.length + entries + waking > MAX_ENTRIES || ms > this.quietFor) return false;
    const at = this.#at + ms;
    if (snoozedUntil !== null && snoozedUntil <= at) this.#wake(snoozedUntil);
    this.#at = at;
    return true;
  }

  /** Brings the item to `now` and returns it. */
  end(): DemoItem {
    const { snoozedUntil } = this.item;
    if (snoozedUntil !== null && snoozedUntil <= this.#now) this.#wake(snoozedUntil);
    return this.item;
  }

  /**
   * Adds `times` further occurrences since the last one, by `newUsers` users who had none before: with the title and
   * fields of the item, unless `message` is what the customer wrote. Up to three entries.
   */
  occur(times: number, newUsers: number, message?: string): void {
    const { item } = this;
    this.#say(times, message);
    const { wake, reopen, responseTime, initial } = this.#rules;
    const from = item.occurrences;
    item.occurrences += times;
    item.users += newUsers;
    item.lastSeen = this.#at;
    this.#tell('occurred', APP, { occurrences: { from, to: item.occurrences } });
    if (wake && item.snoozedUntil !== null) {
      this.#tell('woken', APP, { from: item.snoozedUntil });
      item.snoozedUntil = null;
    }
    if (!item.triaged && reopen.includes(this.#rules.kindOf(item.state))) this.#enter(initial, APP);
    if (!this.closed && item.dueAt === null && responseTime !== null) item.dueAt = this.#at + responseTime;
  }

  #say(times: number, message: string | undefined): void {
    const { title, fields, lastSeen, said } = this.item;
    const content =
      message === undefined
        ? { title, data: fields }
        : { title: `Re: ${title}`.slice(0, 500), data: { ...fields, body: message } };
    const between = (this.#at - lastSeen) / times;
    for (let left = Math.min(times, MAX_OCCURRENCES) - 1; left >= 0; left -= 1)
      said.push({ at: Math.round(this.#at - left * between), ...content });
    said.splice(0, said.length - MAX_OCCURRENCES);
  }

  setState(actor: DemoActor, to: string): void {
    const from = this.item.state;
    if (!this.#rules.allows(from, to)) throw new Error(`${this.item.inbox} does not allow ${from} to ${to}`);
    this.#enter(to, actor);
  }

  assign(actor: DemoActor, to: number): void {
    const from = this.item.assignee;
    if (from === to) return;
    this.item.assignee = to;
    this.#tell('assigned', actor, { from, to });
  }

  tag(actor: DemoActor, wanted: readonly string[], unwanted: readonly string[] = []): void {
    const { item } = this;
    const add = wanted.filter((tag) => !item.tags.includes(tag));
    const remove = unwanted.filter((tag) => item.tags.includes(tag));
    if (add.length + remove.length === 0) return;
    item.tags = [...item.tags.filter((tag) => !remove.includes(tag)), ...add].sort();
    this.#tell('tags', actor, { add, remove });
  }

  note(actor: DemoActor, text: string): void {
    this.#tell('note', actor, { text });
  }

  /** Adds a reply. With an `error` it was not delivered, which leaves the deadline as it was. */
  reply(actor: DemoActor, text: string, error: string | null): void {
    if (error === null) this.item.dueAt = null;
    const subject = `Re: ${this.item.title}`;
    this.#tell('reply', actor, { subject, text, status: error === null ? 'sent' : 'failed', error });
  }

  snooze(actor: DemoActor, ms: number): void {
    const from = this.item.snoozedUntil;
    const to = this.#at + ms;
    this.item.snoozedUntil = to;
    this.#tell('snoozed', actor, { from, to });
  }

  /** Adds a triage: up to three entries. */
  triage(actor: DemoActor, { answers, state, tags, reason }: DraftVerdict): void {
    const { item } = this;
    const closed = state !== null && this.#rules.kindOf(state) === 'closed';
    this.tag(actor, tags);
    if (state !== null) this.#enter(state, actor);
    item.triaged = closed;
    const given = Object.entries(answers).map(([question, answer]) => ({ question, answer, by: actor, at: this.#at }));
    item.triage = { answers: given, closed };
    this.#tell('triage', actor, { answers, closed, reason });
  }

  /** Closing clears deadline and snooze; opening again sets a new deadline and ends `triaged`. */
  #enter(to: string, actor: DemoActor): void {
    const { item } = this;
    const from = item.state;
    if (from === to) return;
    const wasClosed = this.closed;
    item.state = to;
    this.#tell('state', actor, { from, to });
    if (this.closed) {
      item.dueAt = null;
      item.snoozedUntil = null;
    } else if (wasClosed) {
      item.triaged = false;
      if (this.#rules.responseTime !== null) item.dueAt = this.#at + this.#rules.responseTime;
    }
  }

  #wake(at: number): void {
    this.#at = at;
    this.item.snoozedUntil = null;
    this.#tell('woken', SYSTEM, { from: at });
  }

  #tell<T extends DemoEventType>(type: T, actor: DemoActor, data: DemoEventData[T]): void {
    const { item } = this;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `type` and `data` belong together by this method's signature, which TypeScript can't carry into the union
    item.history.push({ type, at: this.#at, actor, data } as DemoItem['history'][number]);
    item.updatedAt = this.#at;
    item.version += 1;
  }
}
