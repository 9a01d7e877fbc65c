/** The rows of rules and of loosenings, as a declaration reads and writes them in its transaction. Used by definitionRules.ts and loosenings.ts. */
import type { StoredRule } from '../../../app/manifest/definition.ts';
import type { Manifest } from '../../../app/manifest/manifest.ts';
import type { Loosened, RuleType } from '../../../app/manifest/rules/rules.ts';
import type { Tx } from '../../../platform/db/knex.ts';
import { executeStatement, queryRows, statement } from '../../../platform/db/sql.ts';
import { newId } from '../../../platform/ids.ts';

/** A question or a note about a member of an action, a flag or an inbox. */
export interface LooseningNote extends Loosened {
  readonly type: RuleType;
  readonly name: string;
  readonly status: 'waiting' | 'refused' | 'noted';
}

export interface OpenLoosening extends LooseningNote {
  readonly id: string;
}

/** The names that a manifest declares, by type. */
export type NamesByType = Readonly<Record<RuleType, readonly string[]>>;

/** A name of old, with what a new one is compared with. */
export interface RemovedName {
  readonly type: RuleType;
  readonly name: string;
  readonly label: string;
}

const namedSql =
  "((type = 'action' and name = any($2::text[])) or (type = 'flag' and name = any($3::text[])) or (type = 'inbox' and name = any($4::text[])))";
const rulesSql = statement(
  'rules.named',
  `
  select type, name, rule from definition_rules
  where env = $1 and ${namedSql}`,
);
/** Removed names that a new one is compared with: the last ones. */
const removedMax = 1_000;
const removedSql = statement(
  'rules.removed',
  `
  select type, name, coalesce(rule->>'label', '') as label from definition_rules
  where env = $1 and not ${namedSql}
  order by at desc, name limit ${String(removedMax)}`,
);
const openSql = statement(
  'loosenings.open',
  `
  select id, type, name, member, value_from as "from", value_to as "to", status from loosenings
  where env = $1 and ended_at is null and status = any($2::text[]) order by id`,
);
const writeRulesSql = statement(
  'rules.write',
  `
  insert into definition_rules (env, type, name, rule, at)
  select $1, r.type, r.name, r.rule, $3 from jsonb_to_recordset($2::jsonb) as r (type text, name text, rule jsonb)
  on conflict (env, type, name) do update set rule = excluded.rule, at = excluded.at`,
);
const insertLooseningsSql = statement(
  'loosenings.insert',
  `
  insert into loosenings (id, env, type, name, member, value_from, value_to, since, status)
  select l.id, $1, l.type, l.name, l.member, l.from, l.to, $3, l.status
  from jsonb_to_recordset($2::jsonb) as l (id text, type text, name text, member text, "from" jsonb, "to" jsonb, status text)`,
);
/** Nobody has decided a waiting question that no longer stands, so that nothing is left of it; a refused one is kept. */
const deleteWaitingSql = statement(
  'loosenings.deleteWaiting',
  `delete from loosenings where env = $1 and id = any($2::text[]) and status = 'waiting'`,
);
const endRefusedSql = statement(
  'loosenings.endRefused',
  `update loosenings set ended_at = $3 where env = $1 and id = any($2::text[]) and status = 'refused'`,
);

const openStatuses = ['waiting', 'refused'] as const satisfies readonly OpenLoosening['status'][];

/** Returns the rules of names, where they have one. */
export const readRules = (tx: Tx, envId: number, { action, flag, inbox }: NamesByType): Promise<StoredRule[]> =>
  queryRows<StoredRule>(tx, rulesSql, [envId, action, flag, inbox]);

/** Returns the stored rules of the names that a manifest declares. */
export const readRulesOf = (tx: Tx, envId: number, manifest: Manifest | null): Promise<StoredRule[]> =>
  readRules(tx, envId, {
    action: (manifest?.actions ?? []).map(({ name }) => name),
    flag: (manifest?.flags ?? []).map(({ key }) => key),
    inbox: (manifest?.inboxes ?? []).map(({ name }) => name),
  });

/** Returns the names that were declared once and are not among those given, the last ones first. */
export const readRemovedNames = (tx: Tx, envId: number, { action, flag, inbox }: NamesByType): Promise<RemovedName[]> =>
  queryRows<RemovedName>(tx, removedSql, [envId, action, flag, inbox]);

/** Returns the questions that are open in an environment: those that wait, and those whose refusal holds. */
export const readOpenLoosenings = (tx: Tx, envId: number): Promise<OpenLoosening[]> =>
  queryRows<OpenLoosening>(tx, openSql, [envId, openStatuses]);

interface RuleChanges {
  readonly rules: readonly StoredRule[];
  readonly added: readonly LooseningNote[];
  /** Ids of questions that no longer stand. */
  readonly ended: readonly string[];
}

/** Writes rules and questions. */
export const writeRuleChanges = async (
  tx: Tx,
  envId: number,
  at: number,
  { rules, added, ended }: RuleChanges,
): Promise<void> => {
  if (rules.length > 0) await executeStatement(tx, writeRulesSql, [envId, JSON.stringify(rules), at]);
  if (ended.length > 0) {
    await executeStatement(tx, deleteWaitingSql, [envId, ended]);
    await executeStatement(tx, endRefusedSql, [envId, ended, at]);
  }
  if (added.length === 0) return;
  const rows = added.map((one) => ({ id: newId('loo', at), ...one }));
  await executeStatement(tx, insertLooseningsSql, [envId, JSON.stringify(rows), at]);
};
