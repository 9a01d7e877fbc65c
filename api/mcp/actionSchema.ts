/** The input schema of an action's tool: the action's own input, and the other members of a run's request. Used by actions.ts. */
import type { ActionDefinition } from '../../shared/app/manifest/actions.ts';
import { isObject } from '../../shared/platform/json/jsonLimits.ts';

/** The names of the tool's arguments; undefined for one that the action does not take. */
export interface ArgumentNames {
  readonly record: string | undefined;
  readonly item: string;
  readonly confirmed: string | undefined;
  readonly reason: string;
  readonly idempotencyKey: string;
  readonly dryRun: string;
  /** The argument that is the whole input; undefined: its members are arguments. */
  readonly input: string | undefined;
}

interface ActionArguments {
  readonly names: ArgumentNames;
  readonly inputSchema: object;
}

type Schema = Readonly<Record<string, unknown>>;

/** Keywords whose meaning does not change when properties are added to the schema. */
const plain = new Set([
  'type',
  'properties',
  'required',
  'additionalProperties',
  '$defs',
  'definitions',
  '$schema',
  '$id',
  '$comment',
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
]);

/** Whether no reference points to the root, which would require the added properties too. */
const refersToRoot = /"\$ref":"#(?!\/(?:\$defs|definitions|properties)\/)/;

const isPlain = (input: object): boolean =>
  Object.keys(input).every((keyword) => plain.has(keyword)) && !refersToRoot.test(JSON.stringify(input));

const freeName = (name: string, taken: object): string =>
  Object.hasOwn(taken, name) ? freeName(`${name}_`, taken) : name;

const namesOf = ({ resource, danger }: ActionDefinition, taken: object, input: string | undefined): ArgumentNames => ({
  record: resource === null ? undefined : freeName('record', taken),
  item: freeName('item', taken),
  confirmed: danger === null ? undefined : freeName('confirmed', taken),
  reason: freeName('reason', taken),
  idempotencyKey: freeName('idempotencyKey', taken),
  dryRun: freeName('dryRun', taken),
  input,
});

const addedFirst = ({ resource }: ActionDefinition, { record }: ArgumentNames): Schema =>
  record === undefined ? {} : { [record]: { type: 'string', description: `A ${resource ?? ''}’s id.` } };

/** Arguments that the instructions of the server explain; the item is one on whose timeline the run is shown. */
const addedLast = (names: ArgumentNames): Schema => ({
  [names.item]: { type: 'string' },
  ...(names.confirmed === undefined ? {} : { [names.confirmed]: { type: 'boolean' } }),
  [names.reason]: { type: 'string' },
  [names.idempotencyKey]: { type: 'string' },
  [names.dryRun]: { type: 'boolean' },
});

/** Returns `required` of a schema, where there is something to require. */
const requiring = (
  { reasonRequired }: ActionDefinition,
  names: ArgumentNames,
  own: readonly unknown[],
): { readonly required?: readonly unknown[] } => {
  const required = [
    ...(names.record === undefined ? [] : [names.record]),
    ...(reasonRequired ? [names.reason] : []),
    ...own,
  ];
  return required.length === 0 ? {} : { required };
};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Returns what models read of an argument besides its type: its currency, its resource, and what its values are called. */
const hintsOf = (property: Schema): string[] => {
  const { format, currency, 'x-resource': resource, 'x-labels': labels } = property;
  const unit = isObject(currency) ? `the currency that ${textOf(currency['field'])} says` : textOf(currency);
  return [
    ...(format === 'money' && unit !== '' ? [`In ${unit}, as 12.5 for twelve and a half.`] : []),
    ...(typeof resource === 'string' ? [`A ${resource}’s id.`] : []),
    ...(isObject(labels)
      ? [
          Object.entries(labels)
            .map((label) => label.map(textOf).join(': '))
            .join('; '),
        ]
      : []),
  ];
};

/** Returns a property with what its keywords for forms say in its description. */
const described = (property: unknown): unknown => {
  if (!isObject(property)) return property;
  const { 'x-resource': _, 'x-labels': __, ...rest } = property;
  const hints = hintsOf(property);
  return hints.length === 0
    ? property
    : { ...rest, description: [textOf(property['description']).replace(/[^.!?]$/, '$&.'), ...hints].join(' ').trim() };
};

const flatArguments = (action: ActionDefinition, input: Schema): ActionArguments => {
  const own = Object.fromEntries(
    Object.entries(isObject(input['properties']) ? input['properties'] : {}).map(([name, property]) => [
      name,
      described(property),
    ]),
  );
  const names = namesOf(action, own, undefined);
  const { $id: _, $schema: __, properties: ___, required, ...rest } = input;
  const requiredOwn: readonly unknown[] = Array.isArray(required) ? required : [];
  return {
    names,
    inputSchema: {
      ...rest,
      type: 'object',
      properties: { ...addedFirst(action, names), ...own, ...addedLast(names) },
      ...requiring(action, names, requiredOwn),
    },
  };
};

/** Nests the input as one argument; its own `$id` keeps references inside the schema valid. */
const nestedArguments = (action: ActionDefinition, { $schema: _, ...input }: Schema): ActionArguments => {
  const names = namesOf(action, {}, 'input');
  return {
    names,
    inputSchema: {
      type: 'object',
      properties: {
        ...addedFirst(action, names),
        input: { ...input, $id: `urn:action:${action.name}` },
        ...addedLast(names),
      },
      ...requiring(action, names, []),
      additionalProperties: false,
    },
  };
};

export const actionArguments = (action: ActionDefinition): ActionArguments =>
  isPlain(action.input)
    ? // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a schema is a JSON object
      flatArguments(action, action.input as Schema)
    : // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a schema is a JSON object
      nestedArguments(action, action.input as Schema);
