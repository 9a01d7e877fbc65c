/** An action as its app declared it, with every default filled in and its input's schema ready to check. */
import type { Detail } from '../catalogue/errors.ts';
import { limits } from '../catalogue/limits.ts';
import type { Condition } from '../platform/core/conditions.ts';
import { filledProblemsOf } from '../platform/core/givenSchemas.ts';
import type { ManifestAction } from './manifest.ts';

export type Danger = 'low' | 'high' | null;

export interface Action {
  readonly name: string;
  readonly label: string;
  /** The resource whose records it acts on; null: it takes no record. */
  readonly resource: string | null;
  /** JSON Schema of its input. */
  readonly input: object;
  readonly danger: Danger;
  readonly approval: boolean;
  readonly freshSignIn: boolean;
  readonly background: boolean;
  /** Whether handing the same run over twice is harmless. */
  readonly repeatable: boolean;
  readonly offline: 'queue' | 'refuse';
  /** How long a queued run waits for the app, in ms. */
  readonly offlineExpiry: number;
  /** How long the app may take, in ms. */
  readonly timeout: number;
  readonly when: Condition | null;
  readonly defaults: Readonly<Record<string, unknown>>;
  /** Checks an input, filling in its schema's defaults in place; problems have paths below `prefix`. */
  inputProblems(input: Record<string, unknown>, prefix: string): Detail[];
}

export const actionOf = (declared: ManifestAction): Action => {
  const background = declared.background ?? false;
  const input = declared.input ?? { type: 'object', additionalProperties: false };
  let problems: ReturnType<typeof filledProblemsOf> | undefined;
  return {
    name: declared.name,
    label: declared.label ?? declared.name,
    resource: declared.resource ?? null,
    input,
    danger: declared.danger ?? null,
    approval: declared.approval ?? false,
    freshSignIn: declared.freshSignIn ?? false,
    background,
    repeatable: declared.repeatable ?? false,
    offline: declared.offline ?? 'queue',
    offlineExpiry: declared.offlineExpiry ?? limits.offlineExpiryMs,
    timeout: declared.timeout ?? (background ? limits.backgroundTimeoutMs : limits.actionTimeoutMs),
    when: (declared.when as Condition | undefined) ?? null,
    defaults: (declared.defaults ?? {}) as Readonly<Record<string, unknown>>,
    inputProblems: (given, prefix) => {
      problems ??= filledProblemsOf(input);
      return problems(given, prefix);
    },
  };
};
