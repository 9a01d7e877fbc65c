/** Compiles a declared action: fills in the defaults, keeps the rule in force, and compiles the schema of the input at its first use. Used by definition.ts. */
import type { FaultDetail } from '../../catalogue/errors.ts';
import { limits } from '../../catalogue/limits.ts';
import type { ConditionExpression } from '../../platform/conditions/conditions.ts';
import { compileAppSchemaWithDefaults } from '../../platform/json/appSchemas.ts';
import { declaredMembers } from '../../platform/json/jsonSchemaProblems.ts';
import { emptyInput, inputKey } from '../link/declarationKeys.ts';
import type { Declaration } from '../link/link.ts';
import type { ManifestAction } from './manifest.ts';
import { approvalNeeds } from './manifestParts.ts';
import { keepInputLimits } from './rules/inputLimits.ts';
import { membersInForce, type Rule } from './rules/rules.ts';
import { conditionOf, otherwiseOf } from './when.ts';

export type DangerLevel = 'low' | 'high' | null;

export interface ActionDefinition {
  readonly name: string;
  readonly label: string;
  readonly description: string | null;
  /** The resource whose records it acts on; null: it takes no record. */
  readonly resource: string | null;
  /** JSON Schema of its input. */
  readonly input: object;
  /** The declaration that an instance needs to be given a run. */
  readonly declaration: Declaration;
  readonly danger: DangerLevel;
  readonly approval: boolean;
  /** The number of people who have to approve it, and their roles. null: it needs no approval. */
  readonly approvalNeeds: ReturnType<typeof approvalNeeds>;
  readonly freshSignIn: boolean;
  /** Whether agents and persons have to give a reason. */
  readonly reasonRequired: boolean;
  /** Whether what it does can be undone; null: the declaration does not say. */
  readonly reversible: boolean | null;
  readonly background: boolean;
  /** Whether dispatching the same run twice is harmless (`repeatable` in the manifest). */
  readonly repeatable: boolean;
  /** How often a repeatable run is dispatched while no answer comes. */
  readonly attempts: number;
  readonly offline: 'queue' | 'refuse';
  /** How long a queued run waits for the app, in ms. */
  readonly offlineExpiry: number;
  /** How long the app may take, in ms. */
  readonly timeout: number;
  readonly when: ConditionExpression | null;
  /** Why it does not apply where `when` does not hold; null: the declaration does not say. */
  readonly otherwise: string | null;
  /** The fields of its record whose change makes an approval stale. */
  readonly stale: readonly string[];
  readonly defaults: Readonly<Record<string, unknown>>;
  /** Fills the schema's defaults into an input, in place, and returns its problems with paths below `prefix`. */
  inputProblems(input: Record<string, unknown>, prefix: string): FaultDetail[];
}

/** Returns those members of an input that the action declares. */
export const declaredOf = ({ input }: Pick<ActionDefinition, 'input'>, given: object): readonly string[] =>
  declaredMembers(input).filter((name) => Object.hasOwn(given, name));

/** Compiles a declared action. `rule`: the rule in force for its name, which may be stricter than the declaration. */
export const compileAction = (own: ManifestAction, rule?: Rule): ActionDefinition => {
  const declared = membersInForce('action', own, rule);
  const background = declared.background ?? false;
  // Compared at its first use: definitions are compiled with every reload of the directory.
  let input: object | undefined;
  const inputInForce = (): object => (input ??= keepInputLimits(declared.input ?? emptyInput, rule?.input ?? {}));
  let declaration: Declaration | undefined;
  let problems: ReturnType<typeof compileAppSchemaWithDefaults> | undefined;
  return {
    name: declared.name,
    label: declared.label ?? declared.name,
    description: declared.description ?? null,
    resource: declared.resource ?? null,
    get input() {
      return inputInForce();
    },
    get declaration() {
      return (declaration ??= { kind: 'action', name: own.name, input: inputKey(own.input) });
    },
    danger: declared.danger ?? null,
    approval: approvalNeeds(declared.approval) !== null,
    approvalNeeds: approvalNeeds(declared.approval),
    freshSignIn: declared.freshSignIn ?? false,
    reasonRequired: declared.reasonRequired ?? false,
    reversible: declared.reversible ?? null,
    background,
    repeatable: declared.repeatable ?? false,
    attempts: declared.attempts ?? limits.runAttempts,
    offline: declared.offline ?? 'queue',
    offlineExpiry: declared.offlineExpiry ?? limits.offlineExpiryMs,
    timeout: declared.timeout ?? (background ? limits.backgroundTimeoutMs : limits.actionTimeoutMs),
    when:
      declared.when === undefined
        ? null
        : // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `conditionProblems` has accepted it
          (conditionOf(declared.when) as ConditionExpression),
    otherwise: declared.when === undefined ? null : otherwiseOf(declared.when),
    stale: declared.stale ?? [],
    defaults: { ...declared.defaults },
    inputProblems: (given, prefix) => {
      problems ??= compileAppSchemaWithDefaults(inputInForce());
      return problems(given, prefix);
    },
  };
};
