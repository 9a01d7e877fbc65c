/**
 * The builders of TypeBox that the checks of validators.ts use, for the package alone: the build puts this file in place of
 * TypeBox, most of which is types. A test holds their schemas against each other.
 */
type Schema = Readonly<Record<string, unknown>>;

/** The schemas of members that may be left out. */
const optional = new WeakSet<object>();

const ObjectSchema = (properties: Readonly<Record<string, Schema>>, options: Schema = {}): Schema => {
  const required = Object.keys(properties).filter((name) => !optional.has(properties[name] ?? {}));
  return { type: 'object', ...(required.length > 0 ? { required } : {}), properties, ...options };
};
const typed =
  (type: string) =>
  (options: Schema = {}): Schema => ({ type, ...options });

export default {
  Object: ObjectSchema,
  String: typed('string'),
  Number: typed('number'),
  Integer: typed('integer'),
  Boolean: typed('boolean'),
  Null: typed('null'),
  Unknown: (options: Schema = {}): Schema => ({ ...options }),
  Literal: (value: string | number | boolean, options: Schema = {}): Schema => ({
    type: typeof value,
    const: value,
    ...options,
  }),
  Array: (items: Schema, options: Schema = {}): Schema => ({ type: 'array', items, ...options }),
  Union: (anyOf: readonly Schema[], options: Schema = {}): Schema => ({ anyOf, ...options }),
  Record: (_name: Schema, value: Schema, options: Schema = {}): Schema => ({
    type: 'object',
    patternProperties: { '^.*$': value },
    ...options,
  }),
  Enum: (values: readonly string[], options: Schema = {}): Schema => ({ enum: values, ...options }),
  Optional: (schema: Schema): Schema => {
    const copy = { ...schema };
    optional.add(copy);
    return copy;
  },
};
