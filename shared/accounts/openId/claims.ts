/** Reading of a provider's claims about a person. For provider.ts. */
import type { OpenIdConfig, GroupMapping } from '../../platform/config/openIdConfig.ts';
import { isObject } from '../../platform/json/jsonLimits.ts';

type Claims = Readonly<Record<string, unknown>>;

/** The provider's identity of the person who signed in. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  /** null: not given, or not known to be theirs. */
  readonly email: string | null;
  /** The address, whether it is theirs or not: for the audit log. */
  readonly claimedEmail: string | null;
  readonly name: string | null;
  readonly groups: readonly string[];
  /** When they signed in at the provider, in epoch milliseconds; null: it doesn't say. */
  readonly signedInAt: number | null;
  /** Whether the claims have address, verification and groups, so that user info need not be asked. */
  readonly isComplete: boolean;
}

/** Longer ones are against the standard. */
const subjectLength = 255;
const nameLength = 200;
const emailForm = /^[^\s\p{C}@,;<>"]+@[^\s\p{C}@,;<>"]+$/u;
const emailLength = 320;

/** Returns a claim by its name, or else by the way to it through objects: `realm_access.roles`. */
const findClaim = (claims: Claims, name: string): unknown =>
  Object.hasOwn(claims, name)
    ? claims[name]
    : name
        .split('.')
        .reduce<unknown>((at, key) => (isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined), claims);

const text = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : null;

const toName = (value: unknown): string | null =>
  text(
    [...(text(value) ?? '')]
      .slice(0, nameLength)
      .join('')
      .replaceAll(/[\p{C}\p{DI}]/gu, ' '),
  );

const toGroups = (value: unknown): readonly string[] =>
  typeof value === 'string'
    ? [value]
    : Array.isArray(value)
      ? value.filter((group): group is string => typeof group === 'string')
      : [];

const toEmail = (value: unknown): string | null => {
  const email = text(value);
  return email !== null && email.length <= emailLength && emailForm.test(email) ? email : null;
};

/** Some providers write booleans as texts or numbers. */
const isTrue = (value: unknown): boolean => value === true || value === 'true' || value === 1 || value === '1';

type Names = Pick<OpenIdConfig, 'verifiedClaim' | 'groupsClaim' | 'groups'>;

/** Returns the identity of verified claims; null for a subject that violates the standard. */
export const readProviderClaims = (claims: Claims, { verifiedClaim, groupsClaim, groups }: Names): Identity | null => {
  const claimedEmail = toEmail(claims['email']);
  const verified = findClaim(claims, verifiedClaim);
  const given = findClaim(claims, groupsClaim);
  const { iss: issuer, sub: subject, auth_time: signedIn } = claims;
  if (typeof issuer !== 'string' || typeof subject !== 'string' || subject.length > subjectLength) return null;
  return {
    issuer,
    subject,
    email: isTrue(verified) ? claimedEmail : null,
    claimedEmail,
    name: toName(claims['name']) ?? toName(claims['preferred_username']),
    groups: toGroups(given),
    signedInAt: typeof signedIn === 'number' && Number.isSafeInteger(signedIn) ? signedIn * 1000 : null,
    isComplete: claimedEmail !== null && verified !== undefined && (groups === null || given !== undefined),
  };
};

export interface Standing {
  /** By id or name. */
  readonly role: string;
  readonly environments: readonly string[];
}

/**
 * Returns the role of the first mapping of which the person has the group, in the environments of all mappings that they
 * have to the same role; null when they have none.
 */
export const standingOf = (groups: readonly string[], mappings: readonly GroupMapping[]): Standing | null => {
  const theirs = mappings.filter(({ group }) => group === '*' || groups.includes(group));
  const [first] = theirs;
  if (first === undefined) return null;
  const environments = new Set(theirs.flatMap(({ role, environments: where }) => (role === first.role ? where : [])));
  return { role: first.role, environments: environments.has('*') ? ['*'] : [...environments].sort() };
};
