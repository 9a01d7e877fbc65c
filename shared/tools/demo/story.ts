/**
 * One item's life, by the service's own operations, so that an item and its history always agree. Each step of it has a chance, and
 * comes after `mean` milliseconds on average; what would come after the present does not happen. Used by plots.ts and content.ts.
 */
import type { Environment, InboxDefinition } from '../../app/manifest/definition.ts';
import { Fault } from '../../catalogue/errors.ts';
import { limits } from '../../catalogue/limits.ts';
import type { Item } from '../../items/model.ts';
import type {
  DecisionContext,
  EntryDraft,
  ItemDecision,
  ItemOperation,
  OccurrenceDraft,
} from '../../items/operation.ts';
import type { OccurrenceBatch } from '../../items/operations/addOccurrences.ts';
import { decideCreate, type CreateInput } from '../../items/operations/create.ts';
import { noteItem } from '../../items/operations/note.ts';
import { subjectOfReply } from '../../items/operations/reply.ts';
import { setState } from '../../items/operations/setState.ts';
import { snoozeItem } from '../../items/operations/snooze.ts';
import { tagItem } from '../../items/operations/tag.ts';
import type { TriageInput } from '../../items/operations/triage.ts';
import { rowId } from '../../platform/ids.ts';
import type { EventActor } from '../../platform/journal/events.ts';
import { placesOf } from './people.ts';
import { MS, type Random } from './random.ts';
import { bounces, talk, thanks } from './words.ts';

/** Who acts in the stories; people are in the order of the demo's list. */
export interface Cast {
  readonly people: readonly EventActor[];
  readonly agent: EventActor;
  readonly app: EventActor;
  readonly system: EventActor;
}

/** An item before anything has happened to it. */
export interface Draft {
  readonly input: CreateInput & { readonly inbox: keyof typeof talk };
  /** The tags that the app would give it. */
  readonly tags: readonly string[];
  /** What the manifest's rules decide. */
  readonly verdict: TriageInput | null;
  /** What a first reply may say. */
  readonly replies: readonly string[];
}

interface Stage {
  readonly draft: Draft;
  readonly env: Environment;
  readonly inbox: InboxDefinition;
  readonly cast: Cast;
  readonly random: Random;
  /** The number of the item, and its present. */
  readonly n: number;
  readonly now: number;
}

interface DemoEntry extends EntryDraft {
  readonly id: string;
  readonly at: number;
  readonly actor: EventActor;
  /** What the audit log calls the change; null: the entry belongs to the one before. */
  readonly verb: string | null;
}

/** More would make the demo slow to load without making it more believable. */
const entriesMax = 8;

export class Story {
  readonly stage: Stage;
  readonly entries: DemoEntry[] = [];
  said: OccurrenceDraft[] = [];
  item: Item;
  #at: number;
  #ids = 0;
  #over = false;

  constructor(stage: Stage, at: number) {
    this.stage = stage;
    this.#at = at;
    this.item = this.#tell(stage.cast.app, 'item.create', this.#occur(null, 1, 0));
  }

  /** Returns the milliseconds since the last entry. */
  get quietFor(): number {
    return this.stage.now - this.#at;
  }

  /** Returns who acts on this item: mostly its assignee, sometimes the agent. */
  get worker(): EventActor {
    const { random, cast } = this.stage;
    const { assignee } = this.item;
    if (random.chance(0.08)) return cast.agent;
    return (assignee === null ? undefined : cast.people.find(({ id }) => id === assignee)) ?? this.#colleague();
  }

  get #talk(): (typeof talk)[keyof typeof talk] {
    return talk[this.stage.draft.input.inbox];
  }

  /** Returns one of those who work on items of the inbox: mostly one of the first, the specialists. */
  #colleague(roles: readonly string[] = this.#talk.crew): EventActor {
    const { cast, random } = this.stage;
    return cast.people[random.pick(placesOf(...roles), 1.7)] ?? cast.system;
  }

  /** Lets time pass, unless that would lead beyond the present or `entries` more would be too many. */
  pass(ms: number, entries = 1): boolean {
    const waking = this.item.snoozedUntil === null ? 0 : 1;
    if (ms > this.quietFor || this.entries.length + entries + waking > entriesMax) return false;
    const at = this.#at + ms;
    this.wakeUntil(at);
    this.#at = at;
    return true;
  }

  /** Lets time pass as `pass` does, with a chance. What comes later in a plot than the present can't have happened either. */
  after(chance: number, mean: number, entries = 1, least = 0): boolean {
    const { random } = this.stage;
    if (!random.chance(chance)) return false;
    const ms = least + random.around(mean);
    this.#over ||= ms > this.quietFor;
    return !this.#over && this.pass(ms, entries);
  }

  /** Wakes the item if its snooze ends by `at`. */
  wakeUntil(at: number): void {
    const { snoozedUntil: from } = this.item;
    if (from === null || from > at) return;
    this.#at = from;
    const woken = { ...this.item, snoozedUntil: null };
    this.#tell(this.stage.cast.system, 'item.wake', { item: woken, entries: [{ type: 'woken', data: { from } }] });
  }

  /** Does what the service would do. */
  do<I>(actor: EventActor, { name, decide }: ItemOperation<I>, input: I): void {
    this.#tell(actor, name, decide(this.item, this.stage.inbox, input, this.#context(actor)));
  }

  take(chance: number, mean: number): void {
    if (!this.after(chance, mean)) return;
    const to = this.#colleague();
    const data = { from: this.item.assignee, to: to.id };
    const actor = this.stage.random.chance(0.65) ? to : this.#colleague(['admin']);
    this.#tell(actor, 'item.assign', {
      item: { ...this.item, assignee: to.id },
      entries: [{ type: 'assigned', data }],
    });
  }

  note(chance: number): void {
    if (this.after(chance, 50 * MS.minute))
      this.do(this.worker, noteItem, { text: this.stage.random.pick(this.#talk.notes) });
  }

  tag(chance: number, mean: number, tags: readonly string[] = this.#talk.tags): void {
    if (this.after(chance, mean)) this.do(this.worker, tagItem, { add: [this.stage.random.pick(tags)] });
  }

  move(chance: number, mean: number, state: string): boolean {
    const moves = this.after(chance, mean);
    if (moves) this.do(this.worker, setState, { state });
    return moves;
  }

  snooze(ms: number): void {
    this.do(this.worker, snoozeItem, { until: this.#at + ms });
  }

  /** Adds a reply, which ends the deadline unless it could not be delivered. */
  reply(chance: number, mean: number): void {
    if (!this.after(chance, mean)) return;
    const { random, draft } = this.stage;
    const error = random.chance(0.02) ? random.pick(bounces) : null;
    const text = `${random.pick(thanks)} ${random.pick(draft.replies)}`;
    const data = { subject: subjectOfReply(this.item, {}), text, status: error === null ? 'sent' : 'failed', error };
    const item = error === null ? { ...this.item, dueAt: null } : this.item;
    this.#tell(this.worker, 'item.reply', { item, entries: [{ type: 'reply', data }] });
  }

  /** It happens again: mostly a few times, seldom to every user; `body`: what the customer wrote. */
  again(chance: number, mean: number, { most = 6_000, body }: { most?: number; body?: string } = {}): boolean {
    // Sooner it would be told in the entry before.
    if (!this.after(chance, mean, 2, limits.occurredEntryMs)) return false;
    const { random, cast } = this.stage;
    const times = Math.min(most, Math.max(1, Math.floor(0.6 / (1 - random.next()) ** 1.15)));
    const users = Math.floor(times * random.next() * 0.8);
    this.#tell(cast.app, 'item.occur', this.#occur(this.item, times, users, body));
    return true;
  }

  /** Decides on occurrences since the last one, by new users among others. */
  #occur(existing: Item | null, times: number, users: number, body?: string): ItemDecision {
    const { inbox, draft, cast } = this.stage;
    const { input } = draft;
    const data = JSON.stringify(body === undefined ? input.data : { ...input.data, body });
    const title = existing === null || body === undefined ? input.title : subjectOfReply(existing, {});
    const between = existing === null ? 0 : (this.#at - existing.lastSeen) / times;
    const user = existing === null ? 'first' : null;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- something happens at least once
    const happened = Array.from({ length: times }, (_, n) => {
      return { at: Math.round(this.#at - (times - 1 - n) * between), title, data, user };
    }) as [OccurrenceBatch[0], ...OccurrenceBatch];
    const newUsers = Array.from({ length: users }, String);
    const facts = { recordTitle: null, newUsers };
    return decideCreate({ existing, inbox, input, happened, facts }, this.#context(cast.app));
  }

  #context({ type, id, name }: EventActor): DecisionContext {
    const { env } = this.stage;
    return {
      at: this.#at,
      by: { type, id, name },
      env,
      person: () => undefined,
      agent: () => undefined,
      isAnswered: () => false,
      seesResource: () => true,
      newId: (prefix) => this.#newId(prefix),
    };
  }

  /** Returns an id of the item, its entries or its occurrences: the same on every machine. */
  #newId(prefix: Parameters<DecisionContext['newId']>[0]): string {
    const { env, n } = this.stage;
    return rowId(prefix, this.#at, env.id * 2 ** 28 + n * 128 + (this.#ids++ % 128));
  }

  /** Adds the entries of one change, and what it makes of the item, which is returned. Throws the fault that the service would answer. */
  #tell(actor: EventActor, verb: string, decided: ItemDecision): Item {
    if (decided instanceof Fault) throw decided;
    if (decided === 'unchanged') return this.item;
    for (const [i, entry] of decided.entries.entries())
      this.entries.push({
        ...entry,
        id: entry.id ?? this.#newId('ent'),
        at: this.#at,
        actor,
        verb: i === 0 ? verb : null,
      });
    this.said = [...this.said, ...(decided.occurrences ?? [])].slice(-limits.occurrencesKept);
    this.item = { ...decided.item, updatedAt: this.#at, version: this.entries.length };
    return this.item;
  }
}
