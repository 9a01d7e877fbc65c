/** The variables of sign-in by OpenID Connect. Read by config.ts. */
import { isObject } from '../json/jsonLimits.ts';
import { matching, type Read } from './configValues.ts';

/** The role and environments of a provider's group. */
export interface GroupMapping {
  /** `*`: everybody whom the provider lets in. */
  readonly group: string;
  /** By id or name. */
  readonly role: string;
  readonly environments: readonly string[];
}

export interface OpenIdConfig {
  /** As the provider writes it in its tokens. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** How the secret is sent to the provider. */
  readonly clientAuth: 'basic' | 'post';
  readonly scopes: string;
  /** Of the button. */
  readonly label: string;
  /** Names of the claims that say whether the e-mail address is the person's own, and in which groups they are. */
  readonly verifiedClaim: string;
  readonly groupsClaim: string;
  /** In the order of their weight; null: roles are given in the settings alone. */
  readonly groups: readonly GroupMapping[] | null;
  /** Whether people are made at their first sign-in. */
  readonly createsPeople: boolean;
}

const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Returns the issuer; undefined for plain HTTP to another machine, where anybody on the way could answer for the provider. */
const issuer = (value: string): string | undefined => {
  if (!URL.canParse(value)) return undefined;
  const { protocol, hostname, search, hash, username } = new URL(value);
  if (search !== '' || hash !== '' || username !== '') return undefined;
  return protocol === 'https:' || (protocol === 'http:' && loopbackHosts.has(hostname)) ? value : undefined;
};

const isName = (value: unknown): value is string => typeof value === 'string' && value !== '' && value.length <= 200;

const isMapping = (value: unknown): value is GroupMapping =>
  isObject(value) &&
  Object.keys(value).every((name) => ['group', 'role', 'environments'].includes(name)) &&
  isName(value['group']) &&
  isName(value['role']) &&
  Array.isArray(value['environments']) &&
  value['environments'].length > 0 &&
  value['environments'].every(isName);

const groupMappings = (value: string): readonly GroupMapping[] | undefined => {
  try {
    const parsed: unknown = JSON.parse(value);
    return Array.isArray(parsed) && parsed.length > 0 && parsed.every(isMapping) ? parsed : undefined;
  } catch {
    return undefined;
  }
};

const word = /^[\x21-\x7e]{1,200}$/;

/** Returns the settings of the provider; null when no variable names one. */
export const readOpenId = (env: NodeJS.ProcessEnv, read: Read): OpenIdConfig | null => {
  if (!Object.entries(env).some(([name, value]) => name.startsWith('OIDC_') && value !== '' && value !== undefined))
    return null;
  const groups = read<readonly GroupMapping[] | null>(env, {
    name: 'OIDC_GROUPS',
    takes: 'a JSON list of objects with group, role and environments',
    example: '[{"group":"ops","role":"operator","environments":["production"]}]',
    fallback: () => null,
    parse: groupMappings,
  });
  return {
    issuer: read(env, {
      name: 'OIDC_ISSUER',
      takes: 'the address of the provider, by https unless it is this machine’s',
      example: 'https://login.example.com',
      parse: issuer,
    }),
    clientId: read(env, { name: 'OIDC_CLIENT_ID', example: 'console', parse: matching(/^[\x20-\x7e]{1,500}$/) }),
    clientSecret: read(env, {
      name: 'OIDC_CLIENT_SECRET',
      example: 'the secret that the provider shows',
      parse: matching(/./),
    }),
    clientAuth: read<'basic' | 'post'>(env, {
      name: 'OIDC_CLIENT_AUTH',
      takes: 'basic or post',
      example: 'basic',
      fallback: () => 'basic',
      parse: (value) => (value === 'basic' || value === 'post' ? value : undefined),
    }),
    scopes: read(env, {
      name: 'OIDC_SCOPES',
      takes: 'scopes with a space between them, openid among them',
      example: 'openid email profile groups',
      fallback: () => 'openid email profile',
      parse: matching(/^(?=.*\bopenid\b)[\x21-\x7e]+(?: [\x21-\x7e]+)*$/),
    }),
    label: read(env, {
      name: 'OIDC_LABEL',
      takes: 'up to 60 characters on one line',
      example: 'Example Login',
      fallback: () => 'single sign-on',
      parse: matching(/^\P{C}{1,60}$/u),
    }),
    verifiedClaim: read(env, {
      name: 'OIDC_VERIFIED_CLAIM',
      example: 'email_verified',
      fallback: () => 'email_verified',
      parse: matching(word),
    }),
    groupsClaim: read(env, {
      name: 'OIDC_GROUPS_CLAIM',
      example: 'groups',
      fallback: () => 'groups',
      parse: matching(word),
    }),
    groups,
    createsPeople: read(env, {
      name: 'OIDC_NEW_PEOPLE',
      takes: 'refuse, or create where OIDC_GROUPS says what they become',
      example: 'refuse',
      fallback: () => false,
      parse: (value) => (value === 'refuse' ? false : value === 'create' && groups !== null ? true : undefined),
    }),
  };
};

/** Returns whether people sign in by password, which only a provider makes dispensable. */
export const readPasswordSignIn = (env: NodeJS.ProcessEnv, read: Read, openId: OpenIdConfig | null): boolean =>
  read(env, {
    name: 'PASSWORD_SIGN_IN',
    takes: 'on, or off where OIDC_ISSUER is set',
    example: 'on',
    fallback: () => true,
    parse: (value) => (value === 'on' ? true : value === 'off' && openId !== null ? false : undefined),
  });
