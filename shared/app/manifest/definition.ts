/** Environments and their compiled definitions: what the app declared, with every default filled in. The directory caches them. */
import type { FaultDetail } from '../../catalogue/errors.ts';
import { limits } from '../../catalogue/limits.ts';
import { defaultPriorities, defaultStates, usualPriority, type StateDefinition } from '../../catalogue/states.ts';
import type { ConditionExpression } from '../../platform/conditions/conditions.ts';
import { compileAppSchema } from '../../platform/json/appSchemas.ts';
import { createSeal, type Seal } from '../../platform/listing/seal.ts';
import { compileAction, type ActionDefinition } from './actions.ts';
import type {
  Manifest,
  ManifestFlag,
  ManifestInbox,
  ManifestPage,
  ManifestResource,
  ManifestView,
} from './manifest.ts';
import { membersInForce, type Rule, type RuleType, type WithheldType } from './rules/rules.ts';

interface Suggestion {
  readonly when?: ConditionExpression;
  readonly action: string;
  readonly input?: unknown;
  readonly reason?: string;
}

export interface InboxDefinition {
  readonly name: string;
  readonly label: string;
  readonly description: string | null;
  readonly states: readonly StateDefinition[];
  readonly initial: string;
  /** null: any state to any other. */
  readonly transitions: Readonly<Record<string, readonly string[]>> | null;
  /** The most urgent first. */
  readonly priorities: readonly string[];
  /** Priorities that items may still have, and that none gets any more. */
  readonly retiredPriorities: readonly string[];
  readonly responseTime: number | null;
  readonly fields: object;
  /** Whether agents and persons have to give a reason with each change of its items. */
  readonly reasonRequired: boolean;
  /** Whether agents have to claim an item before they change it. */
  readonly claims: NonNullable<ManifestInbox['claims']>;
  /** The rule for an agent that changes an item without having read its newest entry. */
  readonly unseen: NonNullable<ManifestInbox['unseen']>;
  readonly reply: ManifestInbox['reply'];
  readonly onOccurrence: {
    readonly reopen: readonly string[];
    readonly wake: boolean;
    /** How many of an item's newest occurrences are kept; null: all, each as a timeline entry. */
    readonly keep: number | null;
    /** Whether an occurrence replaces the item's title and fields. */
    readonly update: boolean;
  };
  readonly blocks: readonly Record<string, unknown>[];
  readonly suggest: readonly Suggestion[];
  readonly triage: ManifestInbox['triage'];
  /** Whether a later manifest leaves the inbox out: it can be read and left, not entered. */
  readonly retired: boolean;
  readonly retiredStates: readonly StateDefinition[];
  stateOf(name: string): StateDefinition | undefined;
  isClosed(state: string): boolean;
  /** Returns the problems of an item's `data`, with paths below `prefix`. */
  dataProblems(data: unknown, prefix: string): FaultDetail[];
}

export interface Definition {
  readonly inboxes: ReadonlyMap<string, InboxDefinition>;
  readonly views: ReadonlyMap<string, ManifestView>;
  readonly resources: ReadonlyMap<string, ManifestResource>;
  readonly actions: ReadonlyMap<string, ActionDefinition>;
  readonly pages: ReadonlyMap<string, ManifestPage>;
  readonly flags: ReadonlyMap<string, ManifestFlag>;
  readonly manifest: Manifest;
  /** Names of actions and flags that agents may not use before a person accepts them. */
  readonly withheld: Readonly<Record<WithheldType, ReadonlySet<string>>>;
}

export interface Environment {
  readonly id: number;
  readonly name: string;
  readonly epoch: number;
  readonly seal: Seal;
  /** Whether it is closed, as while it moves to another installation: its API answers `unavailable`. */
  readonly closed: boolean;
  readonly definition: Definition;
}

/** An inbox as the column `definitions.definition` keeps it between manifests. */
interface StoredInbox {
  readonly declared: ManifestInbox;
  readonly retired: boolean;
  readonly retiredStates: readonly StateDefinition[];
  /** Absent: stored by a release that knew of no priorities. */
  readonly retiredPriorities?: readonly string[];
}

export interface StoredDefinition {
  readonly inboxes: readonly StoredInbox[];
}

/** Returns the states that an inbox declares, or those of every inbox that declares none. */
export const declaredStates = (inbox: ManifestInbox): readonly StateDefinition[] => inbox.states ?? defaultStates;

const declaredPriorities = (inbox: ManifestInbox): readonly string[] => inbox.priorities ?? defaultPriorities;

/** Returns the stored definition after a new manifest: inboxes, states and priorities that it leaves out are retired, never lost. */
export const mergeDefinition = (before: StoredDefinition, manifest: Manifest): StoredDefinition => {
  const declared = manifest.inboxes ?? [];
  const now = declared.map((inbox): StoredInbox => {
    const known = before.inboxes.find((other) => other.declared.name === inbox.name);
    const former = known === undefined ? [] : [...declaredStates(known.declared), ...known.retiredStates];
    const current = new Set(declaredStates(inbox).map((state) => state.name));
    const priorities = declaredPriorities(inbox);
    const formerPriorities =
      known === undefined ? [] : [...declaredPriorities(known.declared), ...(known.retiredPriorities ?? [])];
    return {
      declared: inbox,
      retired: false,
      retiredStates: former.filter((state) => !current.has(state.name)),
      retiredPriorities: [...new Set(formerPriorities)].filter((name) => !priorities.includes(name)),
    };
  });
  const gone = before.inboxes.filter((known) => !declared.some((inbox) => inbox.name === known.declared.name));
  return { inboxes: [...now, ...gone.map((known) => ({ ...known, retired: true }))] };
};

const compileOnOccurrence = ({ onOccurrence, reply }: ManifestInbox): InboxDefinition['onOccurrence'] => {
  const { keep } = onOccurrence ?? {};
  return {
    reopen: onOccurrence?.reopen ?? ['closed', 'waiting'],
    wake: onOccurrence?.wake ?? false,
    keep: keep === undefined ? ((reply ?? null) === null ? limits.occurrencesKept : null) : keep,
    update: onOccurrence?.update ?? false,
  };
};

const compileInbox = (stored: StoredInbox, rule: Rule | undefined): InboxDefinition => {
  const { retired, retiredStates, retiredPriorities = [] } = stored;
  const declared = membersInForce('inbox', stored.declared, rule);
  const states = declaredStates(declared);
  const priorities = declaredPriorities(declared);
  const byName = new Map([...retiredStates, ...states].map((state) => [state.name, state]));
  let problems: ((value: unknown, prefix: string) => FaultDetail[]) | undefined;
  return {
    name: declared.name,
    label: declared.label ?? declared.name,
    description: declared.description ?? null,
    states,
    initial: declared.initial ?? states[0]?.name ?? 'open',
    transitions: declared.transitions ?? null,
    priorities,
    // A release that knows of no priorities makes items of the usual one.
    retiredPriorities: [...new Set([...retiredPriorities, usualPriority])].filter((name) => !priorities.includes(name)),
    responseTime: declared.responseTime ?? null,
    fields: declared.fields ?? { type: 'object' },
    reasonRequired: declared.reasonRequired ?? false,
    claims: declared.claims ?? 'advise',
    unseen: declared.unseen ?? 'warn',
    reply: declared.reply ?? null,
    onOccurrence: compileOnOccurrence(declared),
    blocks: declared.blocks ?? [],
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `conditionProblems` has accepted the conditions
    suggest: (declared.suggest ?? []) as readonly Suggestion[],
    triage: declared.triage,
    retired,
    retiredStates,
    stateOf: (name) => byName.get(name),
    isClosed: (state) => byName.get(state)?.kind === 'closed',
    dataProblems: (data, prefix) => {
      problems ??= compileAppSchema(declared.fields ?? { type: 'object' });
      return problems(data, prefix);
    },
  };
};

export const emptyManifest: Manifest = {};

/** The rule in force for an action, a flag or an inbox. */
export interface StoredRule {
  readonly type: RuleType;
  readonly name: string;
  readonly rule: Rule;
}

/**
 * Returns the definition of a manifest with the retired inboxes of the stored one. Where a rule in force is stricter than
 * what the manifest declares, the definition has the rule.
 */
export const compileDefinition = (
  manifest: Manifest,
  stored: StoredDefinition,
  rules: readonly StoredRule[],
): Definition => {
  const rulesOf = (type: RuleType): ReadonlyMap<string, Rule> =>
    new Map(rules.flatMap((one) => (one.type === type ? [[one.name, one.rule]] : [])));
  const withheldOf = (type: WithheldType): ReadonlySet<string> =>
    new Set(rules.flatMap((one) => (one.type === type && one.rule.withheld ? [one.name] : [])));
  const [actionRules, flagRules, inboxRules] = [rulesOf('action'), rulesOf('flag'), rulesOf('inbox')];
  return {
    manifest,
    inboxes: new Map(
      stored.inboxes.map((inbox) => [inbox.declared.name, compileInbox(inbox, inboxRules.get(inbox.declared.name))]),
    ),
    views: new Map((manifest.views ?? []).map((view) => [view.name, view])),
    resources: new Map((manifest.resources ?? []).map((resource) => [resource.name, resource])),
    actions: new Map(
      (manifest.actions ?? []).map((action) => [action.name, compileAction(action, actionRules.get(action.name))]),
    ),
    pages: new Map((manifest.pages ?? []).map((page) => [page.name, page])),
    flags: new Map(
      (manifest.flags ?? []).map((flag) => [flag.key, membersInForce('flag', flag, flagRules.get(flag.key))]),
    ),
    withheld: { action: withheldOf('action'), flag: withheldOf('flag') },
  };
};

export interface StoredEnvironment {
  readonly id: number;
  readonly name: string;
  readonly epoch: number;
  readonly seal_key: Buffer;
  readonly closed: boolean;
  readonly manifest: Manifest | null;
  readonly definition: StoredDefinition | null;
  /** Of the names that the manifest declares, and of retired inboxes. */
  readonly rules: readonly StoredRule[] | null;
}

/** Returns the environment of its rows. */
export const toEnvironment = (row: StoredEnvironment): Environment => ({
  id: row.id,
  name: row.name,
  epoch: row.epoch,
  seal: createSeal(row.seal_key),
  closed: row.closed,
  definition: compileDefinition(row.manifest ?? emptyManifest, row.definition ?? { inboxes: [] }, row.rules ?? []),
});
