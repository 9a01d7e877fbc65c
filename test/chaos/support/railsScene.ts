/** What invariants/rails.ts does in one environment and reads from it: an app that registers, people who decide and some who may not. */
import { newId } from '../../../shared/platform/ids.ts';
import { connectApp, type FakeApp } from '../../support/app.ts';
import { clientOf } from '../../support/http.ts';
import type { Random } from '../../support/random.ts';
import { newClient, type Client } from './client.ts';
import { pause } from './pause.ts';
import { ask, newPerson } from './people.ts';
import type { Declared, Members } from './railsModel.ts';
import type { Answer } from './send.ts';
import type { Site } from './site.ts';
import type { Stage } from './stage.ts';

/** What is in force by place, as it is read. */
export type Seen = ReadonlyMap<string, string>;

interface InputSchema {
  readonly properties: { readonly amount: { readonly maximum?: number } };
}

/** The record that every action is about: it isn't paid. */
const record = 't1';
const paid = { field: 'record.fields.status', op: 'eq', value: 'paid' };
const patienceMs = 60_000;
/** A process may be so far behind the others: one that has just started learns of changes by its poll, and of several at once. */
export const behindMs = 1_000;

interface Probe {
  readonly confirmed: boolean;
  readonly wanted: number;
  /** Expected outcome; null: any. */
  readonly expected: string | null;
}

const actionOf = (name: string, { when, maximum, ...members }: Members): object => ({
  name,
  resource: 'thing',
  ...members,
  ...(when === true ? { when: paid } : {}),
  input: {
    type: 'object',
    properties: { amount: { type: 'integer', ...(typeof maximum === 'number' ? { maximum } : {}) } },
  },
});

/** Returns the manifest of a declaration. */
const manifestOf = (declared: Declared): object => {
  const of = <T>(type: string, make: (name: string, members: Members) => T): T[] =>
    [...declared].flatMap(([name, members]) =>
      name.startsWith(`${type} `) ? [make(name.slice(type.length + 1), members)] : [],
    );
  return {
    resources: [{ name: 'thing', source: 'stored', fields: [{ name: 'status' }] }],
    inboxes: of('inbox', (name, members) => ({ name, ...members })),
    actions: of('action', actionOf),
    flags: of('flag', (key, members) => ({ key, kind: 'boolean', default: false, ...members })),
  };
};

/** Returns what a reader is to find in force. `hidden` is what agents find. */
export const expectedOf = (name: string, inForce: (Members & { readonly withheld: boolean }) | null): Seen => {
  if (inForce === null) return new Map(name.startsWith('inbox ') ? [] : [[name, 'absent']]);
  const { withheld, when, ...members } = inForce;
  return new Map([
    [name, JSON.stringify(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)))],
    ...(name.startsWith('action ') ? [[`when ${name}`, String(when)] as const] : []),
    ...(name.startsWith('inbox ') ? [] : [[`agents ${name}`, withheld ? 'absent' : 'there'] as const]),
  ]);
};

export class RailsScene {
  readonly stage: Stage;
  readonly #site: Site;
  readonly #random: Random;
  readonly #sockets: FakeApp[] = [];
  /** Runs that wait for an approval, which nobody gives. */
  readonly pending = new Set<string>();
  /** Runs that the app was given. */
  readonly ran: string[] = [];
  declare boss: Client;
  declare worn: Client;
  declare clerk: Client;
  /** Its rights change. */
  declare agent: Client;
  declare key: Client;

  constructor(site: Site, stage: Stage, random: Random) {
    this.#site = site;
    this.stage = stage;
    this.#random = random;
  }

  async open(): Promise<void> {
    [this.boss, this.worn, this.clerk] = [
      await newPerson(this.#site, this.stage, 'admin', true),
      await newPerson(this.#site, this.stage, 'admin', false),
      await newPerson(this.#site, this.stage, 'operator', true),
    ];
    this.agent = await this.stage.agent('operator');
    this.key = newClient(this.stage.journal, this.stage.bases, { id: 'key', token: await this.stage.appKey() });
    await this.#site.sql(
      'insert into records (env, resource, id, title, fields, updated_at) select id, $1, $2, $2, $3, 0 from environments where name = $4',
      ['thing', record, '{"status":"open"}', this.stage.env],
    );
  }

  /** Registers with another key from now on. */
  useKey(id: string, token: string): void {
    this.key = newClient(this.stage.journal, this.stage.bases, { id, token });
  }

  /** Sends a request to one API until it answers. */
  ask(client: Client, method: string, path: string, body?: unknown, base?: string): Promise<Answer> {
    return ask(client, () => base ?? this.#base(), { method, path, body });
  }

  /** Addresses of the APIs that are up. */
  bases(): string[] {
    const up = this.#site.apis.filter(({ isUp }) => isUp);
    return (up.length > 0 ? up : this.#site.apis).map((api) => this.#site.baseOf(api, this.stage.env));
  }

  #base(): string {
    return this.#random.pick(this.bases());
  }

  /** Registers as a process of the app that was started at `startedAt`; the two last ones stay connected. */
  async register(declared: Declared, startedAt: number): Promise<void> {
    const handlers = {
      'action.run': ({ run }: { run: string }) => {
        this.ran.push(run);
        return { message: 'Done.' };
      },
    };
    const deadline = Date.now() + patienceMs;
    for (;;) {
      try {
        const client = clientOf(this.#base(), this.key.token, this.key.id);
        this.#sockets.push(await connectApp(client, { manifest: manifestOf(declared), startedAt, handlers }));
        break;
      } catch (error) {
        if (Date.now() > deadline) throw error;
        await pause(100);
      }
    }
    if (this.#sockets.length > 2) await this.#sockets.shift()?.close();
  }

  /** Reads at one API what is in force of the names. */
  async read(base: string, names: readonly string[]): Promise<Seen> {
    const get = (client: Client, path: string): Promise<Answer> => this.ask(client, 'GET', path, undefined, base);
    const refs = [{ resource: 'thing', id: record }];
    const [actions, flags, inboxes, available, theirActions, theirFlags, waiting] = await Promise.all([
      get(this.boss, '/actions?limit=200'),
      get(this.boss, '/flags?limit=200'),
      get(this.boss, '/inboxes?limit=200'),
      this.ask(this.boss, 'POST', '/available', { refs }, base),
      get(this.stage.admin, '/actions?limit=200'),
      get(this.stage.admin, '/flags?limit=200'),
      get(this.boss, '/settings/loosenings?status=waiting&limit=200'),
    ]);
    type Listed = Readonly<Record<string, unknown>>;
    const find = (list: unknown, by: string, name: string): Listed | undefined =>
      (list as Listed[]).find((one) => one[by] === name);
    const seen = new Map<string, string>();
    const put = (name: string, members: readonly (readonly [string, unknown])[] | undefined): void => {
      seen.set(
        name,
        members === undefined ? 'absent' : JSON.stringify([...members].sort(([a], [b]) => (a < b ? -1 : 1))),
      );
    };
    for (const full of names) {
      const [type = '', name = ''] = full.split(' ');
      if (type === 'action') {
        const found = find(actions.body.actions, 'name', name);
        const { approval, danger, freshSignIn, reasonRequired, repeatable, input } = found ?? {};
        const { maximum = null } = (input as InputSchema | undefined)?.properties.amount ?? {};
        put(full, found && Object.entries({ approval, danger, freshSignIn, reasonRequired, repeatable, maximum }));
        const [{ actions: offered, unavailable }] = available.body.available;
        // The answers are of different moments: one that has the action in neither list is from before it was declared.
        if (find(unavailable, 'action', name) !== undefined) seen.set(`when ${full}`, 'true');
        else if (find(offered, 'action', name) !== undefined) seen.set(`when ${full}`, 'false');
        seen.set(`agents ${full}`, find(theirActions.body.actions, 'name', name) === undefined ? 'absent' : 'there');
      } else if (type === 'flag') {
        const found = find(flags.body.flags, 'flag', name);
        const { approval, danger, reasonRequired } = found ?? {};
        put(full, found && Object.entries({ approval, danger, reasonRequired }));
        seen.set(`agents ${full}`, find(theirFlags.body.flags, 'flag', name) === undefined ? 'absent' : 'there');
      } else {
        const { reasonRequired } = find(inboxes.body.inboxes, 'name', name) ?? {};
        put(full, Object.entries({ reasonRequired }));
      }
    }
    const questions = (waiting.body.loosenings as { readonly on: Record<'type' | 'name' | 'member', string> }[])
      .map(({ on }) => `${on.type} ${on.name} ${on.member}`)
      .filter((question) => names.some((name) => !name.startsWith('inbox ') && question.startsWith(`${name} `)));
    return seen.set('waiting', questions.sort().join(', '));
  }

  /** Returns the id of a question that waits. */
  async questionId(name: string, member: string): Promise<string> {
    const { body } = await this.ask(this.boss, 'GET', '/settings/loosenings?limit=200&status=waiting');
    const found = (
      body.loosenings as { readonly id: string; readonly on: Record<'type' | 'name' | 'member', string> }[]
    ).find(({ on }) => `${on.type} ${on.name}` === name && on.member === member);
    return found?.id ?? newId('loo');
  }

  /** Runs an action as the agent; returns what became of it in a word. */
  async run(name: string, { confirmed, wanted, expected }: Probe): Promise<string> {
    const body = { action: name, record, input: { amount: wanted }, confirmed };
    for (const since = Date.now(); ;) {
      const { status, body: said } = await this.ask(this.agent, 'POST', '/actions', body);
      if (said?.pending === true) {
        this.pending.add(String(said.run));
        return 'pending';
      }
      if (status < 300) return 'runs';
      const outcome = status === 404 ? 'forbidden' : String(said?.code);
      // A process that is behind may not know the action yet. It never lets through what nobody may run any more.
      if (outcome !== 'forbidden' || expected === null || outcome === expected || Date.now() - since > behindMs)
        return outcome;
      await pause(20);
    }
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets.splice(0)) await socket.close();
  }
}
