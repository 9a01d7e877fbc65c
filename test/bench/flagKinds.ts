/**
 * One flag evaluated by everybody: three targets, two rules, then half of the record ids. Each kind has it in its own
 * words; who is in which half differs, as each hashes in its own way.
 */
import { GrowthBookClient } from '@growthbook/growthbook';
import { FlagdCore } from '@openfeature/flagd-core';
import { Unleash } from 'unleash-client';
import { createFlagCache } from '../../shared/sdk/flags.ts';

export interface Subject {
  readonly targetingKey: string;
  readonly plan: string;
  readonly country: string;
  readonly beta: boolean;
}

/** A tenth pays, a tenth of the Swedes are testers; all others come to the percentage. */
export const subjects: readonly Subject[] = Array.from({ length: 1_000 }, (_, i) => ({
  targetingKey: `cus_${String(i)}`,
  plan: i % 10 === 0 ? 'team' : 'free',
  country: i % 4 === 0 ? 'SE' : 'DE',
  beta: i % 7 === 0,
}));

export type Ask = (subject: Subject) => boolean;

export const key = 'new_checkout';
const targets = { cus_1: true, cus_2: false, cus_3: true };
const plans = ['team', 'pro'];

/** The flag in our words. */
export const flagChange = {
  rollout: 50,
  targets,
  rules: [
    { when: { field: 'plan', op: 'in', value: plans }, value: true },
    {
      when: {
        all: [
          { field: 'country', op: 'eq', value: 'SE' },
          { field: 'beta', op: 'eq', value: true },
        ],
      },
      value: true,
    },
  ],
} as const;

/** The SDK as an app has it. */
const ours = (): Ask => {
  const held = createFlagCache();
  held.applyChange({ flag: key, kind: 'boolean', value: false, version: 1, ...flagChange });
  return (subject) => held.flags.boolean(key, false, subject as unknown as Readonly<Record<string, unknown>>);
};

const hash = (text: string): number => {
  let h = 0;
  const whole = text.length & ~3;
  for (let i = 0; i < whole; i += 4) {
    let k =
      text.charCodeAt(i) |
      (text.charCodeAt(i + 1) << 8) |
      (text.charCodeAt(i + 2) << 16) |
      (text.charCodeAt(i + 3) << 24);
    k = Math.imul(k, 0xcc9e2d51);
    h ^= Math.imul((k << 15) | (k >>> 17), 0x1b873593);
    h = (Math.imul((h << 13) | (h >>> 19), 5) + 0xe6546b64) | 0;
  }
  let tail = 0;
  for (let i = text.length - 1; i >= whole; i--) tail = (tail << 8) | text.charCodeAt(i);
  tail = Math.imul(tail, 0xcc9e2d51);
  h ^= Math.imul((tail << 15) | (tail >>> 17), 0x1b873593) ^ text.length;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
};

/** Closures written by hand for this very flag, behind a map of flags by key. */
const limit = (): Ask => {
  const known = new Map<string, boolean>(Object.entries(targets));
  const paid = new Set(plans);
  const rollout: Ask = ({ targetingKey }) => hash(`${key}:${targetingKey}`) % 100_000 < 50_000;
  const swedish: Ask = (subject) => (subject.country === 'SE' && subject.beta ? true : rollout(subject));
  const planned: Ask = (subject) => (paid.has(subject.plan) ? true : swedish(subject));
  const flags = new Map<string, Ask>([[key, (subject) => known.get(subject.targetingKey) ?? planned(subject)]]);
  return (subject) => flags.get(key)?.(subject) ?? false;
};

const flagd = (): Ask => {
  const core = new FlagdCore();
  core.setConfigurations(
    JSON.stringify({
      flags: {
        [key]: {
          state: 'ENABLED',
          variants: { on: true, off: false },
          defaultVariant: 'off',
          targeting: {
            if: [
              { in: [{ var: 'targetingKey' }, ['cus_1', 'cus_3']] },
              'on',
              { '==': [{ var: 'targetingKey' }, 'cus_2'] },
              'off',
              { in: [{ var: 'plan' }, plans] },
              'on',
              { and: [{ '==': [{ var: 'country' }, 'SE'] }, { '==': [{ var: 'beta' }, true] }] },
              'on',
              { fractional: [{ cat: [{ var: '$flagd.flagKey' }, { var: 'targetingKey' }] }, ['on', 50], ['off', 50]] },
            ],
          },
        },
      },
    }),
  );
  return (subject) => core.resolveBooleanEvaluation(key, false, subject as never).value;
};

const growthbook = (): Ask => {
  const client = new GrowthBookClient().initSync({
    payload: {
      features: {
        [key]: {
          defaultValue: false,
          rules: [
            { condition: { id: { $in: ['cus_1', 'cus_3'] } }, force: true },
            { condition: { id: 'cus_2' }, force: false },
            { condition: { plan: { $in: plans } }, force: true },
            { condition: { country: 'SE', beta: true }, force: true },
            { force: true, coverage: 0.5, hashAttribute: 'id' },
          ],
        },
      },
    },
  });
  return ({ targetingKey, plan, country, beta }) =>
    client.isOn(key, { attributes: { id: targetingKey, plan, country, beta } });
};

const only = (contextName: string, values: readonly string[], inverted = false) => ({
  contextName,
  operator: 'IN',
  values,
  inverted,
  caseInsensitive: false,
});
const strategy = (rollout: number, constraints: readonly object[]) => ({
  name: 'flexibleRollout',
  parameters: { rollout: String(rollout), stickiness: 'userId', groupId: key },
  constraints,
});
const notOff = only('userId', ['cus_2'], true);

/** The flag in the words of Unleash. */
export const unleashStrategies: readonly object[] = [
  strategy(100, [only('userId', ['cus_1', 'cus_3'])]),
  strategy(100, [notOff, only('plan', plans)]),
  strategy(100, [notOff, only('country', ['SE']), only('beta', ['true'])]),
  strategy(50, [notOff]),
];

const unleash = async (): Promise<Ask> => {
  const client = new Unleash({
    appName: 'bench',
    url: 'http://127.0.0.1:1/',
    refreshInterval: 0,
    metricsInterval: 0,
    disableMetrics: true,
    skipInstanceCountWarning: true,
    bootstrap: {
      data: [
        {
          name: key,
          enabled: true,
          type: 'release',
          project: 'default',
          stale: false,
          impressionData: false,
          variants: [],
          strategies: unleashStrategies,
        },
      ] as never,
    },
    storageProvider: { get: () => Promise.resolve(undefined), set: () => Promise.resolve() },
  });
  client.on('error', () => undefined);
  client.on('warn', () => undefined);
  const ready = new Promise((resolve) => client.once('ready', resolve));
  void client.start();
  await ready;
  return ({ targetingKey, plan, country, beta }) =>
    client.isEnabled(key, { userId: targetingKey, properties: { plan, country, beta: String(beta) } });
};

export const kinds: Readonly<Record<string, () => Ask | Promise<Ask>>> = { ours, limit, flagd, growthbook, unleash };
