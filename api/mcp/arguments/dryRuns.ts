/** Dry runs of what is dangerous: they do nothing, so that nothing has to be confirmed. Used by tool.ts. */
import { isObject } from '../../../shared/platform/core/jsonLimits.ts';

type Members = Readonly<Record<string, unknown>>;

/** Returns the values of a dry run as confirmed, where the endpoint asks for it; others as they are. */
export const confirmDryRun = (values: Members, taken: Members): Members => {
  if (values['dryRun'] !== true) return values;
  const { operation } = values;
  return {
    ...values,
    ...('confirmed' in taken ? { confirmed: true } : {}),
    ...(isObject(operation) && operation['type'] === 'action' ? { operation: { ...operation, confirmed: true } } : {}),
  };
};
