/** Finds conditions that hold whatever they are asked about: to declare one is to declare none. Used by rules.ts. */
import { isObject } from '../../platform/core/jsonLimits.ts';
import { conditionOf } from '../when.ts';

/** Returns whether a condition always holds (`true`), never (`false`), or that depends on its subject (`null`). */
const constantValue = (condition: unknown): boolean | null => {
  if (!isObject(condition)) return null;
  const { all, any, not, op, value } = condition;
  if (Array.isArray(all)) {
    const values = all.map(constantValue);
    return values.includes(false) ? false : values.every((one) => one === true) ? true : null;
  }
  if (Array.isArray(any)) {
    const values = any.map(constantValue);
    return values.includes(true) ? true : values.every((one) => one === false) ? false : null;
  }
  if (not !== undefined) {
    const inner = constantValue(not);
    return inner === null ? null : !inner;
  }
  if (Array.isArray(value) && value.length === 0) return op === 'nin' ? true : op === 'in' ? false : null;
  return null;
};

/** Returns whether a declared `when` refuses nothing. */
export const alwaysHolds = (when: object): boolean => constantValue(conditionOf(when)) === true;
