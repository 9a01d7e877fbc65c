/** Settings resources that are credentials: one comes with a token, which is shown once and can be replaced. Used by agents.ts and appKeys.ts. */
import type { Tx } from '../../platform/db/knex.ts';
import { nullable, strictObject, Type, type Static } from '../../platform/json/schema.ts';
import { deleteTokens, issueToken, replaceToken, type Administrator } from './adminChange.ts';
import type { OwnVerb, ResourceCall } from './resource.ts';
import type { Store, Viewed } from './store.ts';

/** How long the old token goes on working: a week is enough to bring the new one everywhere. */
const rotationGraceMaxMs = 7 * 86_400_000;

export const rotationInput = strictObject({
  grace: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: rotationGraceMaxMs,
      description: 'How long the old token works on, in ms; 0 when absent.',
    }),
  ),
});

/** Returns the members of a response that creates or rotates a credential. */
export const tokenResponse = (prefix: 'cagt' | 'capp') => ({
  token: nullable(
    Type.String({
      pattern: `^${prefix}_`,
      description: 'Shown once; null in a repeat.',
      examples: [`${prefix}_Rk9PQkFSQkFaUVVYUkVET0JTQ1VSRUQ`],
    }),
  ),
  baseUrl: Type.String({ description: 'Where it is used.', examples: ['http://127.0.0.1:3000/api/env/demo'] }),
});

type RotationVerb = Pick<OwnVerb, 'id' | 'summary' | 'description' | 'answers'> & {
  run(tx: Tx, admin: Administrator, call: ResourceCall<Static<typeof rotationInput>>): Promise<object>;
};

/** Returns the verb that gives a credential a new token; the old one works for `grace` milliseconds more. */
export const rotation = (verb: RotationVerb): OwnVerb => ({
  ...verb,
  fresh: 'always',
  body: rotationInput,
  status: 201,
  example: { grace: 3_600_000 },
  once: ['token'],
});

interface Credentials<V, I> {
  /** Creates one, and returns it with its token. */
  create(
    tx: Tx,
    admin: Administrator,
    input: I,
    where: readonly string[],
  ): Promise<{ readonly made: V; readonly token: string }>;
  /** Returns a new token of one that is locked. The old ones expire after `grace` milliseconds. */
  replace(tx: Tx, admin: Administrator, of: V, grace: number): Promise<string>;
  /** Revokes one, deletes its tokens, and returns it as it was. */
  revoke(tx: Tx, admin: Administrator, id: string): Promise<V>;
}

export const credentialsOf = <V extends Viewed, I>(store: Store<V, I>, kind: 'agent' | 'app'): Credentials<V, I> => ({
  create: async (tx, admin, input, where) => {
    const made = await store.insert(tx, admin, input, where);
    const token = await issueToken(tx, kind, made.id, admin.at);
    await store.record(tx, admin, 'create', null, made);
    return { made, token };
  },
  replace: async (tx, admin, of, grace) => {
    const token = await replaceToken(tx, kind, of.id, { at: admin.at, grace });
    await store.recordValues(tx, admin, 'rotate', of, { grace });
    return token;
  },
  revoke: async (tx, admin, id) => {
    const one = await store.lock(tx, admin, id);
    await deleteTokens(tx, id);
    await store.end(tx, admin, 'revoke', one);
    return one;
  },
});
