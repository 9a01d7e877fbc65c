/**
 * Keeps the rules of an environment when its app declares something: each declared action, flag and inbox is compared with the
 * rule of its name, and what loosens it waits for a person. Used by defineEnvironment.ts, in its transaction.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { StoredRule } from '../../../app/manifest/definition.ts';
import type { Manifest, ManifestAction, ManifestFlag, ManifestInbox } from '../../../app/manifest/manifest.ts';
import {
  type Loosened,
  type Rule,
  type RuleType,
  findResembling,
  acceptMember,
  compareRule,
  firstRule,
  sameRule,
} from '../../../app/manifest/rules/rules.ts';
import { getOrCreate } from '../../../platform/caches.ts';
import type { Tx } from '../../../platform/db/knex.ts';
import {
  readOpenLoosenings,
  readRemovedNames,
  readRules,
  writeRuleChanges,
  type LooseningNote,
  type NamesByType,
  type OpenLoosening,
  type RemovedName,
} from './ruleStore.ts';

interface RulesInput {
  readonly envId: number;
  readonly at: number;
  readonly trustApp: boolean;
  readonly acceptNew: boolean;
  /** The manifest that was declared before; null: none was. */
  readonly former: Manifest | null;
  readonly manifest: Manifest;
}

interface TakenLoosening extends Loosened {
  readonly type: RuleType;
  readonly name: string;
}

export interface RulesResult {
  /** Of the names that the manifest declares. */
  readonly rules: readonly StoredRule[];
  /** The stricter rules that stay in force, and names that agents wait for. */
  readonly held: readonly LooseningNote[];
  /** New names that resemble a removed one, whose rule does not hold for them. */
  readonly renamed: readonly LooseningNote[];
  /** What a trusted app has loosened by this. */
  readonly taken: readonly TakenLoosening[];
}

interface DeclaredName {
  readonly type: RuleType;
  readonly name: string;
  readonly declared: ManifestAction | ManifestFlag | ManifestInbox;
}

const declaredNames = (manifest: Manifest | null): DeclaredName[] => [
  ...(manifest?.actions ?? []).map((declared): DeclaredName => ({ type: 'action', name: declared.name, declared })),
  ...(manifest?.flags ?? []).map((declared): DeclaredName => ({ type: 'flag', name: declared.key, declared })),
  ...(manifest?.inboxes ?? []).map((declared): DeclaredName => ({ type: 'inbox', name: declared.name, declared })),
];

const keyOf = ({ type, name }: { readonly type: RuleType; readonly name: string }): string => `${type} ${name}`;
const byType = (names: readonly DeclaredName[]): NamesByType => {
  const of = (type: RuleType): string[] => names.flatMap((one) => (one.type === type ? [one.name] : []));
  return { action: of('action'), flag: of('flag'), inbox: of('inbox') };
};

/** Comparisons of new names with removed ones in one declaration, the last removed first: each takes about 10 µs. */
const comparisonsMax = 5_000;
/** Names that are compared before the process handles other events: inputs of 64 KiB take a millisecond each. */
const namesPerTurn = 20;

/** The declaration of one name, compared with what came before. */
interface Outcome {
  readonly rule: Rule;
  readonly held: readonly LooseningNote[];
  readonly added: readonly LooseningNote[];
  readonly ended: readonly string[];
  readonly taken: readonly TakenLoosening[];
}

/** Notes an action or a flag that is declared for the first time. The names of an environment's first manifest wait for nobody. */
const newName = (
  { type, name, declared }: DeclaredName,
  { trustApp, acceptNew, former }: RulesInput,
  removed: readonly RemovedName[],
): Outcome => {
  if (type === 'inbox') return { rule: firstRule(type, declared), held: [], added: [], ended: [], taken: [] };
  const rule = { ...firstRule(type, declared), withheld: acceptNew && !trustApp && former !== null };
  const from = findResembling(
    { name, label: rule.label },
    removed.filter((other) => other.type === type),
  );
  const note: LooseningNote = {
    type,
    name,
    member: 'new',
    from,
    to: name,
    status: rule.withheld ? 'waiting' : 'noted',
  };
  return { rule, held: [], added: [note], ended: [], taken: [] };
};

/** Compares a name with its rule. Of a trusted app everything is taken over that is not open already. */
const knownName = (
  { type, name, declared }: DeclaredName,
  before: Rule,
  open: readonly OpenLoosening[],
  trustApp: boolean,
): Outcome => {
  const isOpen = ({ member, to }: Loosened): boolean =>
    open.some((one) => one.member === member && isDeepStrictEqual(one.to, to));
  const compared = compareRule(type, declared, before);
  const taken = trustApp ? compared.loosened.filter((loosened) => !isOpen(loosened)) : [];
  const { rule, loosened } =
    taken.length === 0
      ? compared
      : compareRule(
          type,
          declared,
          taken.reduce((now, { member }) => acceptMember(type, declared, now, member), compared.rule),
        );
  const stands = (one: OpenLoosening): boolean =>
    one.member === 'new' || loosened.some(({ member, to }) => member === one.member && isDeepStrictEqual(to, one.to));
  return {
    rule,
    held: open.filter(stands),
    added: loosened
      .filter((one) => !isOpen(one))
      .map((one): LooseningNote => ({ type, name, ...one, status: 'waiting' })),
    ended: open.filter((one) => !stands(one)).map(({ id }) => id),
    taken: taken.map((one) => ({ type, name, ...one })),
  };
};

/**
 * Returns the rules in force before this declaration. A name that an earlier release declared has no stored rule and gets that
 * of its declaration; a stored rule gets the members of the former declaration that the release which stored it did not compare.
 */
const formerRules = async (
  tx: Tx,
  { envId, former }: RulesInput,
  declared: readonly DeclaredName[],
): Promise<{ readonly known: ReadonlyMap<string, Rule>; readonly unstored: readonly StoredRule[] }> => {
  const before = declaredNames(former);
  const stored = await readRules(tx, envId, byType([...declared, ...before]));
  const known = new Map(stored.map((one) => [keyOf(one), one.rule]));
  const now = new Map(declared.map((one) => [keyOf(one), one.declared]));
  const unstored: StoredRule[] = [];
  for (const [i, one] of before.entries()) {
    if (i % namesPerTurn === namesPerTurn - 1) await nextTurn();
    const { type, name, declared: was } = one;
    const rule = known.get(keyOf(one));
    // The same declaration is compared with the rule afterwards.
    if (rule !== undefined && isDeepStrictEqual(was, now.get(keyOf(one)))) continue;
    const own = rule === undefined ? firstRule(type, was) : compareRule(type, was, rule).rule;
    if (rule !== undefined && sameRule(rule, own)) continue;
    unstored.push({ type, name, rule: own });
    known.set(keyOf(one), own);
  }
  return { known, unstored };
};

/** Compares a manifest with the rules of the environment, stores them, and returns them with what stays in force. */
export const applyRules = async (tx: Tx, input: RulesInput): Promise<RulesResult> => {
  const { envId, at, manifest, trustApp } = input;
  const declared = declaredNames(manifest);
  const keys = new Set(declared.map(keyOf));
  const { known, unstored } = await formerRules(tx, input, declared);
  const gone = unstored.filter((one) => !keys.has(keyOf(one)));
  const added = declared.filter((one) => one.type !== 'inbox' && !known.has(keyOf(one))).length;
  const removed =
    added === 0
      ? []
      : [
          ...gone.map(({ type, name, rule: { label } }) => ({ type, name, label })),
          ...(await readRemovedNames(tx, envId, byType(declared))),
        ].slice(0, Math.ceil(comparisonsMax / added));
  const open = new Map<string, OpenLoosening[]>();
  for (const one of await readOpenLoosenings(tx, envId)) getOrCreate(open, keyOf(one), () => []).push(one);
  const outcomes: (Outcome & StoredRule & { readonly before: Rule | undefined })[] = [];
  for (const [i, one] of declared.entries()) {
    if (i % namesPerTurn === namesPerTurn - 1) await nextTurn();
    const before = known.get(keyOf(one));
    const outcome =
      before === undefined
        ? newName(one, input, removed)
        : knownName(one, before, open.get(keyOf(one)) ?? [], trustApp);
    outcomes.push({ ...outcome, type: one.type, name: one.name, before });
  }
  const isUnstored = new Set(unstored.map(keyOf));
  const changed = outcomes.filter(
    (one) => one.before === undefined || isUnstored.has(keyOf(one)) || !sameRule(one.before, one.rule),
  );
  const toStored = ({ type, name, rule }: StoredRule): StoredRule => ({ type, name, rule });
  const notes = outcomes.flatMap((one) => one.added);
  await writeRuleChanges(tx, envId, at, {
    rules: [...changed.map(toStored), ...gone],
    added: notes,
    ended: outcomes.flatMap((one) => one.ended),
  });
  return {
    rules: outcomes.map(toStored),
    held: [...outcomes.flatMap((one) => one.held), ...notes.filter(({ status }) => status === 'waiting')],
    renamed: notes.filter(({ member, status, from }) => member === 'new' && status === 'noted' && from !== null),
    taken: outcomes.flatMap((one) => one.taken),
  };
};
