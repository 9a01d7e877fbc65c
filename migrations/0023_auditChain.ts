/** The table of the chain of audit entries. */
import type { Knex } from 'knex';

export const up = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    -- A row covers the \`entries\` audit entries of an environment behind those of the row before, up to the event \`last\`.
    -- \`hash\` goes over the row before, the entries, and a digest of each one's personal columns with a salt of its own.
    -- Of each entry 16 bytes of salt and 32 of digest, in the order of the ids. What is erased has its salt overwritten by zeros.
    create table audit_chain (
      env      int not null references environments,
      n        bigint not null,
      form     smallint not null default 1,
      last     bigint not null,
      entries  int not null,
      salts    bytea not null,
      digests  bytea not null,
      hash     bytea not null,
      at       bigint not null,
      primary key (env, n)
    );
    create index audit_chain_hash on audit_chain (env, hash);

    create function audit_chain_append_only() returns trigger language plpgsql as $$
    begin
      raise exception 'the audit chain is append-only';
    end $$;
    create trigger audit_chain_append_only before delete or truncate on audit_chain
      for each statement execute function audit_chain_append_only();
    create trigger audit_chain_unchanged before update of env, n, form, last, entries, digests, hash, at on audit_chain
      for each statement execute function audit_chain_append_only();
  `);

export const down = (knex: Knex): Promise<unknown> =>
  knex.raw('drop table audit_chain; drop function audit_chain_append_only');
