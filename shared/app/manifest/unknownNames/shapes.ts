/** What paths such as `record.fields.status` may lead to, by what a manifest declares, and the problems of those that lead nowhere. For unknownNames.ts and pageNames.ts. */
import type { FaultDetail } from '../../../catalogue/errors.ts';
import { isObject } from '../../../platform/json/jsonLimits.ts';
import { didYouMean, misspelled } from '../../../platform/words/nearestNames.ts';
import { type TemplateAt, templatesIn } from '../../blocks/manifestBlocks.ts';
import { itemSchema } from '../../items/members.ts';
import type { ManifestResource } from '../manifest.ts';
import { comparisonsIn } from '../orderedTexts.ts';

const unknownPaths = (shape: Shape, found: readonly TemplateAt[], quote: (path: string) => string): FaultDetail[] =>
  found.flatMap(({ at, path }) => {
    const problem = pathProblem(shape, path);
    return problem === null ? [] : [{ path: at, message: `names ${quote(path.slice(0, 200))}, ${problem}` }];
  });

/** Returns the comparisons of a condition whose field or path leads nowhere in a subject of this shape. */
export const unknownInCondition = (shape: Shape, condition: unknown, at: string): FaultDetail[] =>
  unknownPaths(
    shape,
    comparisonsIn(condition, at).flatMap(({ at: place, field, other }) => [
      { at: `${place}.field`, path: field },
      ...(other === null ? [] : [{ at: `${place}.path`, path: other }]),
    ]),
    (path) => path,
  );

/** Returns the templates in a value that lead nowhere in a subject of this shape. */
export const unknownInTemplates = (shape: Shape, value: unknown, at: string): FaultDetail[] =>
  unknownPaths(shape, templatesIn(value, at), (path) => `{{${path}}}`);

/** Returns the members of an object that lead nowhere in a value of this shape. */
export const unknownMembers = (shape: Shape, value: unknown, at: string): FaultDetail[] =>
  isObject(value)
    ? Object.keys(value).flatMap((name) => {
        // A name with dots is one member here, and no path.
        const problem = name.includes('.') ? null : pathProblem(shape, name);
        return problem === null
          ? []
          : [{ path: `${at}.${name.slice(0, 100)}`, message: problem.replace('which ', '') }];
      })
    : [];

/** The members of a value; null: not known, so that any path below it is taken. */
export type Shape = {
  readonly members: ReadonlyMap<string, Shape>;
  /** Whether there may be further members, so that only what looks misspelled is an unknown name. */
  readonly open: boolean;
} | null;

export const closedShape = (members: Readonly<Record<string, Shape>>): Shape => ({
  members: new Map(Object.entries(members)),
  open: false,
});

const fieldsShape = ({ fields = [] }: ManifestResource): Shape =>
  // A name with a dot is reached by no path, and is no reason to doubt one.
  fields.length === 0
    ? null
    : closedShape(Object.fromEntries(fields.map(({ name }) => [name.replace(/\..*/, ''), null])));

/** Members of a record beside its fields. */
export const recordMembers = ['id', 'title', 'subtitle', 'updatedAt'] as const;

const recordWith = (fields: Shape): Shape =>
  closedShape({ resource: null, ...Object.fromEntries(recordMembers.map((name) => [name, null])), fields });

/** Returns the shape of a resource's records; any fields when it declares none. */
export const recordShape = (resource: ManifestResource): Shape => recordWith(fieldsShape(resource));

/** Returns the shape of a record of any of the resources. */
export const anyRecordShape = (resources: readonly ManifestResource[]): Shape => {
  const shapes = resources.map(fieldsShape);
  const members = shapes.flatMap((shape) => (shape === null ? [] : [...shape.members]));
  return recordWith(shapes.includes(null) || members.length === 0 ? null : { members: new Map(members), open: false });
};

/** Keywords that may add members which `properties` does not name. */
const composing = [
  '$ref',
  'allOf',
  'anyOf',
  'oneOf',
  'if',
  'dependentSchemas',
  'patternProperties',
  'propertyNames',
] as const;

/** Returns the shape of the values of a JSON Schema. Where it neither closes nor opens its objects, further members are likely mistakes. */
export const schemaShape = (schema: unknown): Shape => {
  if (!isObject(schema)) return null;
  const { properties, additionalProperties: more, unevaluatedProperties: rest } = schema;
  if (!isObject(properties) || composing.some((keyword) => Object.hasOwn(schema, keyword))) return null;
  if ((more !== undefined && more !== false) || (rest !== undefined && rest !== false)) return null;
  return {
    members: new Map(Object.entries(properties).map(([name, one]) => [name, schemaShape(one)])),
    open: more === undefined && rest === undefined,
  };
};

/** Returns the shape of an inbox's items, as responses show them. */
export const itemShape = (fields: Shape): Shape =>
  closedShape({
    ...Object.fromEntries(Object.keys(itemSchema.properties).map((name) => [name, null])),
    record: closedShape({ resource: null, id: null, title: null }),
    fields,
  });

/** Returns what is wrong with a path into a value of this shape, as the end of a sentence that names it; null: it may lead somewhere. */
const pathProblem = (shape: Shape, path: string): string | null => {
  const parts = path.split('.');
  let at = shape;
  for (const [i, part] of parts.entries()) {
    if (at === null) return null;
    const below = at.members.get(part);
    if (below === undefined) {
      const names = [...at.members.keys()];
      if (at.open && misspelled(part, names) === null) return null;
      const before = parts.slice(0, i).map((one) => `${one}.`);
      return `which is not declared${didYouMean(part, names, before.join(''))}`;
    }
    at = below;
  }
  return null;
};
