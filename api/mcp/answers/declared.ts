/** The compact forms of what an app declares: inboxes, views, resources, actions, pages. Used by compact.ts. */
import { defaultPriorities } from '../../../shared/catalogue/states.ts';
import { isObject } from '../../../shared/platform/json/jsonLimits.ts';
import { type Members, objectsIn, omitMembers, pickMembers, textOf, trueNames, withoutEmpty } from './members.ts';

/** Returns the label where it says more than the name. */
const labelOf = ({ name, action, label }: Members): unknown =>
  typeof label === 'string' && label.toLowerCase() !== (textOf(name) || textOf(action)).toLowerCase() ? label : null;

/** Returns the type of an amount with its currency, or with the field that has the currency. */
const moneyWord = (currency: unknown): string => {
  const named = isObject(currency) ? `currency in ${textOf(currency['field'])}` : textOf(currency);
  return named === '' ? 'money' : `money (${named})`;
};

/** Returns a property of a schema in one word, with its values where they are few. */
const typeWord = (schema: unknown): string => {
  if (!isObject(schema)) return 'any';
  if (Array.isArray(schema['enum'])) return schema['enum'].map(String).join('|');
  const { type, format } = schema;
  if (format === 'money') return moneyWord(schema['currency']);
  return typeof format === 'string' ? format : Array.isArray(type) ? type.join('|') : textOf(type) || 'any';
};

/** Returns the properties of an object's schema as name and type, required ones with a star. */
const schemaWords = (schema: unknown): Members => {
  const properties = isObject(schema) && isObject(schema['properties']) ? schema['properties'] : {};
  const required: unknown[] = isObject(schema) && Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [
      name,
      `${typeWord(property)}${required.includes(name) ? ' (required)' : ''}`,
    ]),
  );
};

export const compactInbox = (inbox: Members): Members =>
  withoutEmpty({
    name: inbox['name'],
    label: labelOf(inbox),
    description: inbox['description'],
    // Each with its kind, where the name does not say it.
    states: objectsIn(inbox['states']).map(({ name, kind }) =>
      name === kind ? name : `${String(name)} (${String(kind)})`,
    ),
    ...pickMembers(inbox, ['initial', 'transitions']),
    priorities: String(inbox['priorities']) === defaultPriorities.join() ? null : inbox['priorities'],
    responseTime: typeof inbox['responseTime'] === 'number' ? `${String(inbox['responseTime'] / 60_000)}m` : null,
    fields: schemaWords(inbox['fields']),
    reply: isObject(inbox['reply']) ? inbox['reply']['via'] : null,
    can: inbox['can'],
  });

export const compactView = (view: Members): Members =>
  withoutEmpty({
    ...view,
    label: labelOf(view),
    only: textOf(view['assignee']).split(',').includes('me') ? 'people: nothing is assigned to an agent' : null,
  });

export const compactResource = (resource: Members): Members =>
  withoutEmpty({
    name: resource['name'],
    label: labelOf(resource),
    description: resource['description'],
    source: resource['source'] === 'app' ? 'app' : null,
    fields: Object.fromEntries(
      objectsIn(resource['fields']).map((field) => [
        String(field['name']),
        [
          field['type'] === 'money' ? moneyWord(field['currency']) : textOf(field['type']) || 'any',
          ...trueNames(field, ['filter', 'sort', 'search']),
        ].join(' '),
      ]),
    ),
    relations: Object.fromEntries(
      objectsIn(resource['relations']).map(({ name, resource: target }) => [String(name), target]),
    ),
  });

/** An action; its input is in the schema of its own tool. */
export const compactAction = (action: Members): Members =>
  withoutEmpty({
    ...pickMembers(action, ['name', 'action']),
    label: labelOf(action),
    ...pickMembers(action, ['description', 'resource', 'record', 'danger', 'defaults', 'reason']),
    only: action['freshSignIn'] === true ? 'a person who has just signed in, never an agent' : null,
    is: trueNames(action, ['approval', 'background', 'repeatable', 'reasonRequired', 'reversible']),
  });

/** Returns an action that applies to a record, without its description, which the tool has. */
export const compactApplicable = (action: Members): Members => omitMembers(compactAction(action), ['description']);

export const compactPage = (page: Members): Members =>
  withoutEmpty({
    name: page['name'],
    label: labelOf(page),
    description: page['description'],
    params: objectsIn(page['params']).map(({ name, required }) =>
      required === true ? `${String(name)} (required)` : name,
    ),
  });

export const compactRole = (role: Members): Members => ({
  name: role['name'],
  grants: Object.fromEntries(
    objectsIn(role['grants']).map(({ on, can }) => [String(on), Array.isArray(can) ? can.join(' ') : can]),
  ),
});
