/** The reason that a principal may give with any change: its schema, and taking it out of a body. For endpoint.ts and middleware/. */
import { invalidAt } from '../../shared/catalogue/errors.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import { isObject } from '../../shared/platform/json/jsonLimits.ts';
import { Type, type TObject, type TSchema } from '../../shared/platform/json/schema.ts';
import { isLongerThan } from '../../shared/platform/words/texts.ts';

const reasonSchema = Type.Optional(
  Type.String({ maxLength: limits.reasonMax, description: 'Why, for the timeline and the audit log.' }),
);

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the bodies of changes are objects
const propertiesOf = (body: TSchema): TObject['properties'] => (body as Partial<TObject>).properties ?? {};

export const hasReason = (body: TSchema): boolean => Object.hasOwn(propertiesOf(body), 'reason');

/** Returns the schema of a body with the member `reason`, unless it has one of its own. */
export const withReasonSchema = (body: TSchema): TSchema =>
  hasReason(body) ? body : { ...body, properties: { ...propertiesOf(body), reason: reasonSchema } };

interface ReasonedBody {
  /** null: none, or a blank one. */
  readonly reason: string | null;
  readonly rest: unknown;
}

/** Returns the reason of a body, and the body without it. Throws `invalid` for one that is no text or too long. */
export const splitReason = (body: unknown): ReasonedBody => {
  if (!isObject(body) || !Object.hasOwn(body, 'reason')) return { reason: null, rest: body };
  const { reason, ...rest } = body;
  if (typeof reason !== 'string') throw invalidAt('reason', 'must be string');
  if (isLongerThan(reason, limits.reasonMax))
    throw invalidAt('reason', `must NOT have more than ${String(limits.reasonMax)} characters`);
  return { reason: reason.trim() === '' ? null : reason, rest };
};
