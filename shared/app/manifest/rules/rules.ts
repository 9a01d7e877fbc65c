/**
 * Rules: what a person once had to accept of an action, a flag or an inbox, as it was declared. Compares a declaration with the rule in
 * force, and finds what loosens it. Used by definition.ts, which applies rules, and by shared/accounts, which stores them.
 */
import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../../platform/json/jsonLimits.ts';
import type { ManifestAction, ManifestFlag, ManifestInbox } from '../manifest.ts';
import { approvalNeeds, claimRules, type DeclaredApproval, unseenRules } from '../manifestParts.ts';
import { compareInput, limitValue } from './inputLimits.ts';
import { type InputLimits, typesAmong, withoutFreeTypes } from './inputWalk.ts';
import { admitsMoreInput, alwaysHolds } from './vacuous.ts';

/** Things whose new names can wait for a person. */
export const withheldTypes = ['action', 'flag'] as const;
export type WithheldType = (typeof withheldTypes)[number];
export type RuleType = WithheldType | 'inbox';

/** The rule in force for a name; the column `definition_rules.rule`. */
export interface Rule {
  /** The members of the declaration that can be loosened, as they are in force. */
  readonly members: Readonly<Record<string, unknown>>;
  /** Of an action with danger or approval, the limits of its input; else none. */
  readonly input: InputLimits;
  /** Whether agents wait for a person's acceptance of the name itself. */
  readonly withheld: boolean;
  /** By what a new name is compared with those that were removed. */
  readonly label: string;
}

/** A member that is declared less strict than the rule. */
export interface Loosened {
  readonly member: string;
  readonly from: unknown;
  readonly to: unknown;
}

type Declared = ManifestAction | ManifestFlag | ManifestInbox;

interface MemberRule {
  read(declared: Partial<ManifestAction> & Partial<ManifestFlag> & Partial<ManifestInbox>): unknown;
  isLooser(from: unknown, to: unknown): boolean;
  /** Returns what holds until a person accepts what is looser; absent: what held before. */
  inForce?(from: unknown, to: unknown): unknown;
}

const dangerLevels: readonly unknown[] = [null, 'low', 'high'];
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const lowersBoolean = (from: unknown, to: unknown): boolean => from === true && to !== true;

/** Lowers what is needed, asks nobody of certain roles any more, or those of another role. */
const loosensApproval = (from: unknown, to: unknown): boolean => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- both are values of the member, which the schema has checked
  const [had, has] = [approvalNeeds(from as DeclaredApproval), approvalNeeds(to as DeclaredApproval)];
  if (had === null) return false;
  if (has === null || has.needed < had.needed) return true;
  return had.roles !== null && has.roles?.every((role) => had.roles?.includes(role)) !== true;
};

const approval: MemberRule = {
  read: (declared) => declared.approval ?? false,
  isLooser: loosensApproval,
};
const danger: MemberRule = {
  read: (declared) => declared.danger ?? null,
  isLooser: (from, to) => dangerLevels.indexOf(to) < dangerLevels.indexOf(from),
};

const reasonRequired: MemberRule = { read: (declared) => declared.reasonRequired ?? false, isLooser: lowersBoolean };

const lowersPlace =
  (order: readonly string[]) =>
  (from: unknown, to: unknown): boolean =>
    order.findIndex((rule) => rule === to) < order.findIndex((rule) => rule === from);
const claims: MemberRule = { read: (declared) => declared.claims ?? 'advise', isLooser: lowersPlace(claimRules) };
const unseen: MemberRule = { read: (declared) => declared.unseen ?? 'warn', isLooser: lowersPlace(unseenRules) };

/** How each member loosens: the list that docs/manifest.md explains. */
const memberRules: Readonly<Record<RuleType, Readonly<Record<string, MemberRule>>>> = {
  action: {
    approval,
    danger,
    freshSignIn: { read: (declared) => declared.freshSignIn ?? false, isLooser: lowersBoolean },
    reasonRequired,
    when: {
      read: ({ when }) => (when === undefined || alwaysHolds(when) ? null : when),
      isLooser: (from, to) => isObject(from) && (!isObject(to) || admitsMoreInput(from, to)),
    },
    stale: {
      read: (declared) => declared.stale ?? [],
      isLooser: (from, to) => listOf(from).some((field) => !listOf(to).includes(field)),
      inForce: (from, to) => [...new Set([...listOf(from), ...listOf(to)])],
    },
    resource: { read: (declared) => declared.resource ?? null, isLooser: (from, to) => from !== to },
    repeatable: {
      read: (declared) => declared.repeatable ?? false,
      isLooser: (from, to) => from !== true && to === true,
    },
  },
  flag: { approval, danger, reasonRequired },
  inbox: { reasonRequired, claims, unseen },
};

const inputPrefix = 'input';
const inputMember = (path: string): string => (path === '' ? inputPrefix : `${inputPrefix}.${path}`);
const inputPath = (member: string): string => member.slice(inputPrefix.length + 1);
const isInputMember = (member: string): boolean => member === inputPrefix || member.startsWith(`${inputPrefix}.`);

const isProtected = ({ approval: asks, danger: level }: Rule['members']): boolean =>
  (asks !== undefined && asks !== false) || (level !== null && level !== undefined);

const inputOf = (declared: Declared): object | undefined =>
  'input' in declared && isObject(declared.input) ? declared.input : undefined;
const labelOf = (declared: Declared): string =>
  'label' in declared && typeof declared.label === 'string' ? declared.label : '';

/** Returns the rule of a name that is declared for the first time. */
export const firstRule = (type: RuleType, declared: Declared): Rule => {
  const members = Object.fromEntries(
    Object.entries(memberRules[type]).map(([member, { read }]) => [member, read(declared)]),
  );
  return {
    members,
    input: isProtected(members) ? withoutFreeTypes(compareInput({}, inputOf(declared)).limits) : {},
    withheld: false,
    label: labelOf(declared),
  };
};

interface Comparison {
  /** The rule in force from now on: the stricter of both. */
  readonly rule: Rule;
  readonly loosened: readonly Loosened[];
}

/** Compares the members of a declaration with the rule of its name, apart from the limits of the input. */
const compareMembers = (
  type: RuleType,
  declared: Declared,
  rule: Rule,
): { readonly members: Rule['members']; readonly loosened: readonly Loosened[] } => {
  const loosened: Loosened[] = [];
  const members = Object.fromEntries(
    Object.entries(memberRules[type]).map(([member, { read, isLooser, inForce }]) => {
      const [from, to] = [rule.members[member] ?? read({}), read(declared)];
      if (!isLooser(from, to)) return [member, to];
      loosened.push({ member, from, to });
      return [member, inForce === undefined ? from : inForce(from, to)];
    }),
  );
  return { members, loosened };
};

/** Returns a declaration with those members from the rule in force that it has looser; the same object when there are none. */
export const membersInForce = <T extends Declared>(type: RuleType, declared: T, rule: Rule | undefined): T => {
  if (rule === undefined) return declared;
  const { members, loosened } = compareMembers(type, declared, rule);
  return loosened.length === 0
    ? declared
    : { ...declared, ...Object.fromEntries(loosened.map(({ member }) => [member, members[member]])) };
};

/** Returns the values of a limit in force with those that are declared beside them: all hold. */
const withDeclared = (inForce: readonly unknown[], declared: readonly unknown[] = []): readonly unknown[] => [
  ...inForce,
  ...declared.filter((value) => !inForce.some((one) => isDeepStrictEqual(one, value))),
];

/** Compares a declaration with the rule of its name. */
export const compareRule = (type: RuleType, declared: Declared, rule: Rule): Comparison => {
  const { members, loosened } = compareMembers(type, declared, rule);
  const isLimited = isProtected(members);
  const same = { ...rule, members, label: labelOf(declared) };
  if (!isLimited && Object.keys(rule.input).length === 0) return { rule: { ...same, input: {} }, loosened };
  const { limits, widened, unreachable } = compareInput(rule.input, inputOf(declared));
  const declaredLimits = withoutFreeTypes(limits);
  const inForce = (path: string): readonly unknown[] => rule.input[path] ?? [];
  // A place that a closed object does not have may still be limited beside it: what that refuses stays refused, too.
  const closed = isLimited ? unreachable : [];
  const kept = Object.fromEntries([
    ...widened.map((path) => [path, inForce(path)] as const),
    ...closed.map((path) => [path, withDeclared(inForce(path), declaredLimits[path])] as const),
  ]);
  // A kept limit needs the type of its place, which may be declared as before without a limit.
  const others = isLimited ? limits : typesAmong(rule.input);
  return {
    rule: { ...same, input: { ...withoutFreeTypes({ ...others, ...kept }), ...kept } },
    loosened: [
      ...loosened,
      ...widened.map((path) => ({
        member: inputMember(path),
        from: limitValue(path, rule.input[path]),
        to: limitValue(path, limits[path]),
      })),
    ],
  };
};

/** Returns the rule with one member as it is declared now: a person has accepted that, or the app is trusted. */
export const acceptMember = (type: RuleType, declared: Declared, rule: Rule, member: string): Rule => {
  if (member === 'new') return { ...rule, withheld: false };
  if (!isInputMember(member)) {
    const read = memberRules[type][member]?.read;
    return read === undefined ? rule : { ...rule, members: { ...rule.members, [member]: read(declared) } };
  }
  const path = inputPath(member);
  const { [path]: _, ...others } = rule.input;
  const now = compareInput({}, inputOf(declared)).limits[path];
  return { ...rule, input: now === undefined ? others : { ...others, [path]: now } };
};

export const sameRule = (a: Rule, b: Rule): boolean => isDeepStrictEqual(a, b);

interface Described {
  readonly name: string;
  /** What people read; '' when nothing is declared. */
  readonly label: string;
}

/** Share of pairs of letters that two names have in common, from which on they resemble each other. */
const resemblingShare = 0.5;

/** Returns how often each pair of neighbouring letters and digits is in a text. */
const pairsOf = (text: string): ReadonlyMap<string, number> => {
  const letters = text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  const pairs = new Map<string, number>();
  for (let i = 0; i + 2 <= letters.length; i += 1) {
    const pair = letters.slice(i, i + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
};

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((all, one) => all + one, 0);

/** Returns the coefficient of Sørensen and Dice of two texts: 0 for nothing in common, 1 for the same pairs. */
const similarity = (a: string, b: string): number => {
  const [left, right] = [pairsOf(a), pairsOf(b)];
  const all = sum(left.values()) + sum(right.values());
  const common = sum([...left].map(([pair, count]) => Math.min(count, right.get(pair) ?? 0)));
  return all === 0 ? 0 : (2 * common) / all;
};

/** Returns the name of the removed one that resembles a new one most, by name or label; null: none does. */
export const findResembling = (added: Described, removed: readonly Described[]): string | null => {
  const [best] = removed
    .map(({ name, label }) => ({
      name,
      share: Math.max(similarity(added.name, name), added.label === '' ? 0 : similarity(added.label, label)),
    }))
    .filter(({ share }) => share >= resemblingShare)
    .sort((a, b) => b.share - a.share);
  return best?.name ?? null;
};
