/** Reads the arguments of a call by the schema of its tool. Used by tool.ts and actions.ts. */
import type { FaultDetail } from '../../../shared/catalogue/errors.ts';
import { limits } from '../../../shared/catalogue/limits.ts';
import { isObject } from '../../../shared/platform/json/jsonLimits.ts';
import { invalidFault } from '../../../shared/platform/json/validate.ts';
import { unknownNameMessage } from '../../../shared/platform/words/nearestNames.ts';
import { coerceArguments } from './coerce.ts';

type Members = Readonly<Record<string, unknown>>;

interface ReadValues {
  readonly given: Members;
  /** Returns the same as if it were 1970: a repeat of "in 2h" is the same request, though its time is another. */
  readonly timeless: () => Members;
}

/** Throws `400 invalid` for arguments that the tool does not have, with the nearest in spelling of those that it has. */
export const requireKnownArguments = (given: Members, known: readonly string[]): void => {
  const unknown = Object.keys(given).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  // Of thousands only those are compared that are told.
  const told = unknown.slice(0, limits.detailsMax);
  throw invalidFault(told.map((name) => ({ path: name.slice(0, 100), message: unknownNameMessage(name, known) })));
};

/** Returns what the arguments mean, with durations that count from `now`. Throws `400 invalid` for times that are none. */
export const readValues = (schema: object, raw: Members, now: number): ReadValues => {
  const problems: FaultDetail[] = [];
  const given = coerceArguments({ ...schema }, raw, { now, problems });
  if (problems.length > 0) throw invalidFault(problems.slice(0, limits.detailsMax));
  return { given, timeless: () => coerceArguments({ ...schema }, raw, { now: 0, problems: [] }) };
};

/** Returns the values of a dry run as confirmed, where it `takesConfirmed` or is of a bulk of an action; others as they are. */
export const confirmDryRun = (values: Members, takesConfirmed: boolean): Members => {
  if (values['dryRun'] !== true) return values;
  const { operation } = values;
  return {
    ...values,
    ...(takesConfirmed ? { confirmed: true } : {}),
    ...(isObject(operation) && operation['type'] === 'action' ? { operation: { ...operation, confirmed: true } } : {}),
  };
};
