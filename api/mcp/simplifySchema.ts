/** Simplifies an endpoint's schema for models; the same values stay valid. Used by tool.ts. */
import { isObject } from '../../shared/platform/core/jsonLimits.ts';

type Schema = Readonly<Record<string, unknown>>;

/** Returns the strings that a schema allows, or null: clients know `enum` where they don't know `const`. */
const enumTexts = ({ anyOf, const: only }: Schema): string[] | null => {
  const values = Array.isArray(anyOf)
    ? anyOf.map((branch: unknown) => (isObject(branch) ? branch['const'] : undefined))
    : [only];
  return values.every((value) => typeof value === 'string') ? values : null;
};

/** Turns lists that are one string in a URL into arrays. */
const queryListNote = ' (comma-separated)';

const simplifyObject = (schema: Schema): Schema => {
  const texts = enumTexts(schema);
  const { properties, description, ...rest } =
    texts === null ? schema : { ...schema, anyOf: undefined, const: undefined, type: 'string', enum: texts };
  return {
    ...Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, simplify(value)])),
    // An object schema without properties would be read as an empty object.
    ...(isObject(properties) && Object.keys(properties).length > 0
      ? { properties: Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, simplify(value)])) }
      : {}),
    ...(typeof description === 'string' ? { description: description.replace(queryListNote, '') } : {}),
  };
};

const simplify = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(simplify) : isObject(value) ? simplifyObject(value) : value;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON that was written from an object
export const simplifySchema = (schema: object): object => simplifyObject(JSON.parse(JSON.stringify(schema)) as Schema);
