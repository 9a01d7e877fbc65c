/** 27. Rails: no manifest, role change, agent change or key loosens what a person has to accept, in any order. */
import type { Random } from '../../support/random.ts';
import { pause } from '../support/pause.ts';
import { RailsModel, someMembers, type Declared, type Members } from '../support/railsModel.ts';
import { behindMs, expectedOf, RailsScene, type Seen } from '../support/railsScene.ts';
import type { Invariant, Run } from '../support/run.ts';
import type { Site } from '../support/site.ts';

/** Every process knows of a change by then. */
const knownMs = 5_000;
/** What each action asks for. */
const wanted = 50;

/** What the agent may do, as people have set it. */
interface Rights {
  mode: 'normal' | 'supervised' | 'readonly';
  role: 'operator' | 'viewer';
}

/** One environment, in which one sequence follows the other, each with names of its own. */
class Lane {
  readonly #run: Run;
  readonly #random: Random;
  readonly #scene: RailsScene;
  readonly #model = new RailsModel();
  #declared: Declared = new Map();
  #startedAt = 0;
  #names: string[] = [];
  /** Values in force until now, newest last, each with the time in epoch ms at which it was first read. */
  #former: (readonly [Seen, number])[] = [[new Map(), 0]];
  readonly #rights: Rights = { mode: 'normal', role: 'operator' };
  steps = 0;

  constructor(run: Run, scene: RailsScene, random: Random) {
    this.#run = run;
    this.#scene = scene;
    this.#random = random;
  }

  async sequence(n: number, steps: number): Promise<void> {
    const random = this.#random;
    const named = (type: string, count: number): string[] =>
      Array.from({ length: count }, (_, i) => `${type} s${String(n)}n${String(i)}`);
    this.#names = [...named('action', 6), ...named('flag', 3), 'inbox mail'];
    this.#model.acceptNew = random.next() < 0.3;
    await this.#settle('environments', this.#scene.stage.env, { acceptNew: this.#model.acceptNew });
    await this.#declareNew(this.#mutated(1));
    for (let step = 0; step < steps && this.#run.problems < 5; step++) {
      await this.#step();
      this.steps += 1;
    }
  }

  /** Returns the declaration with some names declared otherwise, and now and then one left out. */
  #mutated(share = 0.4): Declared {
    const random = this.#random;
    const kept = this.#names.flatMap((name): [string, Members][] => {
      const [type = ''] = name.split(' ');
      const known = this.#declared.get(name);
      if (type !== 'inbox' && share < 1 && random.next() < 0.15) return [];
      if (known !== undefined && random.next() > share) return [[name, known]];
      const fresh = someMembers(type, random);
      if (known === undefined) return [[name, fresh]];
      const changed = random.shuffled(Object.keys(fresh)).slice(0, random.int(1, 3));
      return [[name, { ...known, ...Object.fromEntries(changed.map((member) => [member, fresh[member]])) }]];
    });
    return new Map(kept);
  }

  async #register(declared: Declared, startedAt: number): Promise<void> {
    this.#model.register(declared, startedAt);
    await this.#scene.register(declared, startedAt);
    await this.#check(`registering ${[...declared.keys()].join(', ')}`);
  }

  async #declareNew(declared: Declared): Promise<void> {
    this.#startedAt = Math.max(this.#startedAt + 10, Date.now());
    this.#declared = declared;
    await this.#register(declared, this.#startedAt);
  }

  async #step(): Promise<void> {
    const random = this.#random;
    const kind = random.next();
    if (kind < 0.4) await this.#declareNew(this.#mutated());
    else if (kind < 0.5) await this.#register(this.#mutated(1), this.#startedAt - random.int(1, 1_000));
    else if (kind < 0.58) await this.#register(this.#declared, this.#startedAt - random.int(0, 1_000));
    else if (kind < 0.66) {
      const before = this.#declared;
      await this.#declareNew(this.#mutated());
      await this.#register(before, this.#startedAt - 5);
    } else if (kind < 0.84) await this.#decide();
    else if (kind < 0.92) await this.#intrude();
    else if (kind < 0.98) await this.#changeRights();
    else await this.#changeKey();
    await this.#probe();
  }

  /** Changes a setting as a person who may. */
  async #settle(kind: string, id: string, body: object): Promise<void> {
    const { status, text } = await this.#scene.ask(this.#scene.boss, 'PATCH', `/settings/${kind}/${id}`, body);
    this.#run.expect(status === 200, `a person who may could not change ${kind}: ${text}`);
  }

  #question(): readonly [string, string] | null {
    const own = this.#model.waiting().filter((question) => this.#names.some((name) => question.startsWith(`${name} `)));
    const waiting = own.filter((question) => !question.startsWith('inbox '));
    if (waiting.length === 0) return null;
    const [type = '', name = '', member = ''] = this.#random.pick(waiting).split(' ');
    return [`${type} ${name}`, member];
  }

  async #decide(): Promise<void> {
    const question = this.#question();
    if (question === null) return;
    const [name, member] = question;
    const verb = this.#random.next() < 0.7 ? 'accept' : 'refuse';
    const id = await this.#scene.questionId(name, member);
    const { status, text } = await this.#scene.ask(this.#scene.boss, 'POST', `/settings/loosenings/${id}/${verb}`);
    const done = this.#model.decide(name, member, verb);
    this.#run.expect(status === (done ? 200 : 409), `to ${verb} ${name} ${member} was answered ${text}`);
    await this.#check(`${verb} ${name} ${member}`);
  }

  /** Somebody who may not tries to loosen something. */
  async #intrude(): Promise<void> {
    const { boss: _, stage, ...scene } = this.#scene;
    const who = this.#random.pick(['agent', 'clerk', 'worn', 'key'] as const);
    const [name, member] = this.#question() ?? ['action none', 'approval'];
    const id = await this.#scene.questionId(name, member);
    const own = `/settings/agents/${this.#scene.agent.id}`;
    const tries: readonly (readonly [string, string, object | undefined])[] = [
      ['POST', `/settings/loosenings/${id}/accept`, undefined],
      ['POST', `/settings/loosenings/${id}/refuse`, undefined],
      ['PATCH', `/settings/environments/${stage.env}`, { trustApp: true }],
      ['PATCH', own, { role: 'admin', mode: 'normal' }],
      ['POST', '/settings/app-keys', { name: 'mine' }],
    ];
    const [method, path, body] = this.#random.pick(tries);
    const { status, text } = await this.#scene.ask(scene[who], method, path, body);
    this.#run.expect(status === 403, `${who} was answered ${String(status)} to ${method} ${path}: ${text}`);
    await this.#check(`${method} ${path} by ${who}`);
  }

  async #changeRights(): Promise<void> {
    const { agent } = this.#scene;
    this.#rights.mode = this.#random.pick(['normal', 'supervised', 'readonly'] as const);
    this.#rights.role = this.#random.pick(['operator', 'operator', 'viewer'] as const);
    await this.#settle('agents', agent.id, { ...this.#rights });
    const knows = async (base: string): Promise<boolean> => {
      const { body } = await this.#scene.ask(agent, 'GET', '/me', undefined, base);
      return body.principal.mode === this.#rights.mode && body.role.name === this.#rights.role;
    };
    for (const base of this.#scene.bases()) {
      const deadline = Date.now() + knownMs;
      while (!(await knows(base)) && Date.now() < deadline) await pause(20);
    }
    await this.#check('changing the agent');
  }

  async #changeKey(): Promise<void> {
    const { body, status } = await this.#scene.ask(this.#scene.boss, 'POST', '/settings/app-keys', { name: 'next' });
    this.#run.expect(status === 201, 'a person who may could not make an app key');
    this.#scene.useKey(String(body.appKey.id), String(body.token));
    await this.#register(this.#declared, this.#startedAt);
  }

  #expected(): Seen {
    const all = this.#names.flatMap((name) => [...expectedOf(name, this.#model.inForce(name))]);
    const own = this.#model
      .waiting()
      .filter((one) => this.#names.some((name) => !name.startsWith('inbox ') && one.startsWith(`${name} `)));
    return new Map([...all, ['waiting', own.sort().join(', ')]]);
  }

  /**
   * Reads what is in force at every API until all say what the model says; what is neither that, nor what was before, nor what
   * has been within the last second, is a violation.
   */
  async #check(after: string): Promise<void> {
    const expected = this.#expected();
    this.#former = this.#former.filter((_, i, all) => Date.now() - (all[i + 1]?.[1] ?? Infinity) < behindMs);
    const former = this.#former.map(([seen]) => seen);
    const wasSo = (place: string, value: string): boolean =>
      former.some((seen) => (seen.get(place) ?? 'absent') === value);
    for (const base of this.#scene.bases()) {
      const deadline = Date.now() + knownMs;
      for (;;) {
        const seen = await this.#scene.read(base, this.#names);
        const wrong = [...expected].filter(([place, value]) => (seen.get(place) ?? 'absent') !== value);
        const never = wrong.filter(([place]) => !wasSo(place, seen.get(place) ?? 'absent'));
        const isOver = wrong.length === 0 || never.length > 0 || Date.now() > deadline;
        const told = (never.length > 0 ? never : wrong).map(
          ([place, value]) => `${place} is ${String(seen.get(place))} instead of ${value}`,
        );
        if (isOver) this.#run.expect(told.length === 0, `after ${after}: ${told.join('; ')}`);
        if (isOver) break;
        await pause(20);
      }
    }
    this.#former.push([expected, Date.now()]);
  }

  /** Returns what becomes of a run by the rules in force and the rights of the agent. */
  #outcome(name: string, confirmed: boolean): string | null {
    const rule = this.#model.inForce(name);
    const { mode, role } = this.#rights;
    if (rule === null || rule.withheld || mode === 'readonly' || role === 'viewer') return 'forbidden';
    if (rule['freshSignIn'] === true) return 'fresh_sign_in_required';
    if (rule['reasonRequired'] === true) return null;
    const maximum = rule['maximum'];
    if (typeof maximum === 'number' && wanted > maximum) return 'invalid';
    if (rule['when'] === true) return 'conflict';
    if (rule['danger'] !== null && !confirmed) return 'confirmation_required';
    return rule['approval'] === true || mode === 'supervised' ? 'pending' : 'runs';
  }

  async #probe(): Promise<void> {
    const actions = this.#random.shuffled(this.#names.filter((one) => one.startsWith('action ')));
    for (const name of actions.slice(0, 2)) await this.#probeAction(name);
  }

  async #probeAction(name: string): Promise<void> {
    const confirmed = this.#random.next() < 0.7;
    const expected = this.#outcome(name, confirmed);
    const outcome = await this.#scene.run(name.slice('action '.length), { confirmed, wanted, expected });
    if (expected === null) return;
    this.#run.expect(
      outcome === expected,
      `${name} ${outcome} instead of ${expected} for ${JSON.stringify(this.#rights)} under ${JSON.stringify(this.#model.inForce(name))}`,
    );
  }
}

/** Restarts the APIs one after the other until the sequences are over. */
const restart = async (run: Run, site: Site, isOver: () => boolean, everyMs: number): Promise<number> => {
  let restarts = 0;
  for (; !isOver(); restarts++) {
    const api = site.apis[restarts % site.apis.length];
    run.tell({ kind: 'terminate', forMs: 0 });
    if (restarts % 3 === 2) await api?.kill();
    else await api?.terminate();
    await api?.start();
    for (const since = Date.now(); !isOver() && Date.now() - since < everyMs;) await pause(100);
  }
  return restarts;
};

export const rails: Invariant = {
  number: 27,
  title: 'what a person has to accept is loosened by nobody else, in any order of events',
  site: { short: { apis: 2, workers: 1 }, long: { apis: 2, workers: 2 } },
  run: async (run, site) => {
    const sequences = run.size('sequences', { short: 5, long: 1_000 });
    const steps = run.size('steps of a sequence', { short: 5, long: 8 });
    const laneCount = run.size('environments', { short: 2, long: 4 });
    const scenes: RailsScene[] = [];
    const lanes: Lane[] = [];
    for (let n = 0; n < laneCount; n++) {
      const random = run.random.fork(`lane ${String(n)}`);
      const scene = new RailsScene(site, await run.stage(site, `rails${String(n)}`), random);
      await scene.open();
      scenes.push(scene);
      lanes.push(new Lane(run, scene, random));
    }
    let over = false;
    const restarting = restart(run, site, () => over, run.size('ms between restarts', { short: 20_000, long: 20_000 }));
    restarting.catch(() => undefined);
    try {
      await Promise.all(
        lanes.map(async (lane, i) => {
          for (let n = i; n < sequences && run.problems < 5; n += laneCount) await lane.sequence(n, steps);
        }),
      );
    } finally {
      over = true;
      await restarting;
      for (const scene of scenes) await scene.close();
    }
    run.measure(
      'steps',
      lanes.map((lane) => lane.steps).reduce((a, b) => a + b),
    );
    run.measure('restarts', await restarting);
    run.measure(
      'runs that wait',
      scenes.map(({ pending }) => pending.size).reduce((a, b) => a + b),
    );
    run.measure(
      'runs that ran',
      scenes.map(({ ran }) => ran.length).reduce((a, b) => a + b),
    );
    for (const { pending, ran } of scenes)
      for (const id of ran) run.expect(!pending.has(id), `${id} ran though nobody had approved it`);
  },
};
