/** Dry runs of what is dangerous: they do nothing, so that nothing has to be confirmed. Used by tool.ts and actions.ts. */
import { isObject } from '../../../shared/platform/json/jsonLimits.ts';

type Members = Readonly<Record<string, unknown>>;

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
