/** Reads the audit log from the events, filtered, newest first. For api/routes/audit.ts. */
import type { Access } from '../access/access.ts';
import { rowId } from '../platform/core/ids.ts';
import { isObject } from '../platform/core/jsonLimits.ts';
import type { Db } from '../platform/db/knex.ts';
import { queryRows, statement, type SqlValue, type Statement } from '../platform/db/sql.ts';
import { cutPage } from '../platform/listing/page.ts';

interface AuditFilter {
  readonly actor?: string;
  readonly verb?: string;
  readonly target?: string;
  readonly from?: number;
  readonly to?: number;
}

interface AuditRow {
  readonly id: number;
  readonly at: number;
  readonly actor_type: string;
  readonly actor: string | null;
  readonly actor_name: string;
  readonly role: string | null;
  readonly verb: string;
  readonly target_type: string | null;
  readonly target: string | null;
  readonly outcome: string;
  readonly before: Record<string, unknown> | null;
  readonly after: Record<string, unknown> | null;
  readonly request_id: string | null;
  readonly address: string | null;
}

const members = ['actor', 'verb', 'target', 'from', 'to'] as const;
const clauses: Readonly<Record<(typeof members)[number], string>> = {
  actor: 'actor =',
  verb: 'verb =',
  target: 'target =',
  from: 'at >=',
  to: 'at <',
};

/** The names that a role sees, as a parameter: null for a role that sees all of a kind, whatever is declared now. */
const seenSql = (name: string, parameter: string): string =>
  `(${name} is null or ${parameter}::text[] is null or ${name} = any(${parameter}))`;

/** Keeps entries whose inbox, record and flag the role sees, whichever column or member names them. */
const visibleSql = [
  seenSql('inbox', '$3'),
  seenSql("split_part(about, '/', 1)", '$5'),
  seenSql("after ->> 'resource'", '$5'),
  seenSql("case when target_type = 'resource' then target end", '$5'),
  seenSql("case when target_type = 'flag' then target end", '$6'),
  seenSql("after ->> 'flag'", '$6'),
].join(' and ');

/** Returns the statement for the given filters; each set of filters has its own, so that each uses its own index. */
const statementFor = (filter: AuditFilter): { prepared: Statement; values: SqlValue[] } => {
  const given = members.filter((member) => filter[member] !== undefined);
  const where = given.map((member, i) => `and ${clauses[member]} $${String(i + 7)}`).join(' ');
  const prepared = statement(
    `audit.${given.join('-')}`,
    `
    select id, at, actor_type, actor, actor_name, role, verb, target_type, target, outcome, before, after, request_id, address
    from events where env = $1 and verb is not null and id < $2 and ${visibleSql} ${where}
    order by id desc limit $4`,
  );
  return { prepared, values: given.map((member) => filter[member] ?? null) };
};

/** Returns the values of a change without a record that the role doesn't see. */
const redactValues = (access: Access, values: Record<string, unknown> | null): Record<string, unknown> | null => {
  const record = values?.['record'];
  return isObject(record) && !access.sees('resource', String(record['resource']))
    ? { ...values, record: null }
    : values;
};

interface AuditPage {
  readonly entries: object[];
  readonly next: number | null;
}

/** Returns a page of the entries that the role sees, older than `before`, newest first. */
export const readAudit = async (
  db: Db,
  envId: number,
  access: Access,
  filter: AuditFilter,
  before: number | null,
  limit: number,
): Promise<AuditPage> => {
  const { prepared, values } = statementFor(filter);
  const found = await queryRows<AuditRow>(db, prepared, [
    envId,
    before ?? Number.MAX_SAFE_INTEGER,
    access.namesSeen('inbox'),
    limit + 1,
    access.namesSeen('resource'),
    access.namesSeen('flag'),
    ...values,
  ]);
  const { page, last } = cutPage(found, limit);
  return {
    entries: page.map((row) => ({
      id: rowId('aud', row.at, row.id),
      at: row.at,
      actor: { type: row.actor_type, id: row.actor, name: row.actor_name, role: row.role },
      verb: row.verb,
      target: { type: row.target_type, id: row.target },
      outcome: row.outcome,
      before: redactValues(access, row.before),
      after: redactValues(access, row.after),
      requestId: row.request_id,
      address: row.address,
    })),
    next: last?.id ?? null,
  };
};
