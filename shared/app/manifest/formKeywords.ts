/**
 * Checks what a declaration says for forms: the `currency` of amounts, the resource of a record picker (`x-resource`) and the labels
 * of values (`x-labels`). Used by manifestProblems.ts and inboxProblems.ts.
 */
import type { FaultDetail } from '../../catalogue/errors.ts';
import { isObject } from '../../platform/json/jsonLimits.ts';
import { declaredMembers, schemasInside } from '../../platform/json/jsonSchemaProblems.ts';
import { didYouMean } from '../../platform/words/nearestNames.ts';
import type { ManifestResource } from './manifest.ts';
import { isCurrency, memberOf } from './money.ts';

/** Returns the problem of a currency: no code, or a field that is not declared. */
const currencyProblems = (currency: unknown, path: string, fields: readonly string[]): FaultDetail[] => {
  if (currency === undefined || isCurrency(currency)) return [];
  const field = memberOf(currency, 'field');
  if (typeof field !== 'string')
    return [{ path, message: 'must be a code of three capital letters such as EUR, or { field }' }];
  return fields.includes(field)
    ? []
    : [
        {
          path: `${path}.field`,
          message: `names the field ${field}, which is not declared${didYouMean(field, fields)}`,
        },
      ];
};

/** Returns the problems of the currencies of a resource's fields. */
export const fieldCurrencyProblems = ({ fields = [] }: ManifestResource, path: string): FaultDetail[] =>
  fields.flatMap(({ currency, type }, i) => {
    const at = `${path}.fields.${String(i)}.currency`;
    if (currency !== undefined && type !== 'money') return [{ path: at, message: 'is for fields of the type money' }];
    return currencyProblems(
      currency,
      at,
      fields.map(({ name }) => name),
    );
  });

const labelProblems = (labels: unknown, values: unknown, path: string): FaultDetail[] => {
  const known = Array.isArray(values) ? values.map(String) : [];
  if (!isObject(labels)) return [{ path, message: 'must be an object with a label for each value' }];
  return Object.entries(labels).flatMap(([value, label]) => {
    const at = `${path}.${value.slice(0, 100)}`;
    if (!known.includes(value)) return [{ path: at, message: 'is not one of the values of enum' }];
    return typeof label === 'string' && label.trim() !== '' ? [] : [{ path: at, message: 'must be a text' }];
  });
};

const resourceProblems = (resource: unknown, path: string, known: readonly string[]): FaultDetail[] => {
  if (resource === undefined) return [];
  if (typeof resource !== 'string') return [{ path, message: 'must be the name of a resource' }];
  const named = resource.slice(0, 100);
  return known.includes(resource)
    ? []
    : [{ path, message: `names the resource ${named}, which is not declared${didYouMean(resource, known)}` }];
};

/** Returns the problems of the amounts among the properties of a schema. */
const amountProblems = (properties: unknown, path: string, fields: readonly string[]): FaultDetail[] =>
  Object.entries(isObject(properties) ? properties : {}).flatMap(([name, property]) => {
    if (memberOf(property, 'format') !== 'money') return [];
    const at = `${path}.${name}`;
    const types = [memberOf(property, 'type')].flat();
    return [
      ...(types.includes('number') || types.includes('integer')
        ? []
        : [{ path: `${at}.type`, message: 'must be number or integer, as the format is money' }]),
      ...currencyProblems(memberOf(property, 'currency'), `${at}.currency`, fields),
    ];
  });

/** Returns the problems of what a JSON Schema says for forms. `fields`: of the record that the form is for. */
export const formProblems = (
  root: object | undefined,
  path: string,
  { resources, fields }: { readonly resources: Iterable<string>; readonly fields: readonly string[] },
): FaultDetail[] => {
  const [known, outer] = [[...resources], [...declaredMembers(root), ...fields]];
  return schemasInside(root, path).flatMap(({ schema, path: at }) => {
    const { properties, 'x-resource': resource, 'x-labels': labels, enum: values } = schema;
    const inner = isObject(properties) ? Object.keys(properties) : [];
    return [
      ...amountProblems(properties, `${at}.properties`, [...inner, ...outer]),
      ...resourceProblems(resource, `${at}.x-resource`, known),
      ...(labels === undefined ? [] : labelProblems(labels, values, `${at}.x-labels`)),
    ];
  });
};
