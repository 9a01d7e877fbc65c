/** The live sockets of a soak: most stay and go on where they broke off, some come and go; each is judged. Used by soak.ts. */
import type { Client } from '../chaos/support/client.ts';
import { heardProblems } from '../chaos/support/fold.ts';
import type { Json } from '../chaos/support/oracle.ts';
import { Recorder } from '../chaos/support/recorder.ts';
import type { Random } from '../support/random.ts';

/** Inboxes between which the items are spread: one socket hears those of one of them. All are on the first page of a list. */
export const teams = Array.from({ length: 40 }, (_, n) => `team${String(n)}`);
/** So many hear everything, and so many of one inbox every type of message. */
const [hearAll, hearEveryType] = [4, 10];
/** Of ten sockets one is a visitor's. */
const stayersOfTen = 9;
const churnMs = 500;

interface Stayer {
  readonly recorder: Recorder;
  readonly inbox: string | null;
}

export interface AudienceResult {
  readonly sockets: number;
  readonly visits: number;
  readonly cuts: number;
  readonly messages: number;
  readonly resumed: number;
}

export class Audience {
  readonly #client: Client;
  readonly #random: Random;
  readonly #stayers: Stayer[];
  readonly #visitors: Recorder[];
  readonly #problems: string[] = [];
  #visits = 0;
  #isOver = false;
  #cuts = 0;
  #churn: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(client: Client, sockets: number, random: Random) {
    this.#client = client;
    this.#random = random;
    const stay = Math.ceil((sockets * stayersOfTen) / 10);
    this.#stayers = Array.from({ length: stay }, (_, turn): Stayer => {
      const inbox = turn < hearAll ? null : (teams[turn % teams.length] ?? null);
      const types = turn < hearAll + hearEveryType && inbox !== null ? '' : 'types=item';
      const query = [types, inbox === null ? '' : `inboxes=${inbox}`].filter((part) => part !== '').join('&');
      return { inbox, recorder: new Recorder(client, { turn, query }) };
    });
    this.#visitors = Array.from({ length: sockets - stay }, () => this.#visit());
  }

  /** Resolves when all of them are connected. */
  async joined(): Promise<void> {
    await Promise.all([
      ...this.#stayers.map(({ recorder }) => recorder.joined),
      ...this.#visitors.map((each) => each.joined),
    ]);
  }

  /** From now on one that stays is cut off, and one visitor goes and another comes, again and again. */
  begin(): void {
    this.#timer = setInterval(() => {
      this.#random.pick(this.#stayers).recorder.socket?.terminate();
      this.#cuts += 1;
      const at = this.#random.int(0, Math.max(0, this.#visitors.length - 1));
      const gone = this.#visitors[at];
      if (gone === undefined) return;
      this.#visitors[at] = this.#visit();
      this.#churn = Promise.all([this.#churn, this.#leave(gone)]).then(() => undefined);
    }, churnMs);
  }

  endChurn(): void {
    clearInterval(this.#timer);
  }

  /** Ends all, and returns what differs between what they heard and the items that there are. */
  async judge(items: readonly Json[]): Promise<string[]> {
    await this.#churn;
    await Promise.all(this.#visitors.map((visitor) => this.#leave(visitor)));
    const of = (inbox: string | null): Json[] => items.filter((item) => inbox === null || item.inbox === inbox);
    const lists = new Map([null, ...teams].map((inbox) => [inbox, of(inbox)]));
    const expected = this.#stayers.map(({ recorder, inbox }) => ({ recorder, list: lists.get(inbox) ?? [] }));
    const waitMs = this.#isOver ? 0 : 60_000;
    this.#isOver = true;
    return [...this.#problems, ...(await heardProblems(expected, waitMs))];
  }

  result(): AudienceResult {
    const sum = (of: (recorder: Recorder) => number): number =>
      this.#stayers.reduce((total, { recorder }) => total + of(recorder), 0);
    return {
      sockets: this.#stayers.length + this.#visitors.length,
      visits: this.#visits,
      cuts: this.#cuts,
      messages: sum(({ messages }) => messages),
      resumed: sum(({ connects }) => connects - 1),
    };
  }

  #visit(): Recorder {
    this.#visits += 1;
    return new Recorder(this.#client, {
      turn: this.#visits,
      query: `types=item&inboxes=${this.#random.pick(teams)}`,
    });
  }

  async #leave(visitor: Recorder): Promise<void> {
    await visitor.stop();
    // What it heard it forgets, so that hours of visitors take no room.
    this.#problems.push(...visitor.problems.splice(0));
  }
}
