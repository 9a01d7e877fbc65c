/** Lists loosenings, and accepts or refuses one. For the settings endpoints. */
import { fault } from '../../catalogue/errors.ts';
import type { ActorRef } from '../../catalogue/events.ts';
import type { Manifest } from '../../environments/manifest.ts';
import { acceptMember, compareRule, type RuleType } from '../../environments/rules/rules.ts';
import type { Db, Tx } from '../../platform/db/knex.ts';
import { queryRow, queryRows, statement } from '../../platform/db/sql.ts';
import { cutPage } from '../../platform/listing/page.ts';
import { recordAdminChange, type Administrator } from '../adminChange.ts';
import { readRules, writeRuleChanges } from './ruleStore.ts';

export const looseningStatuses = ['waiting', 'accepted', 'refused', 'noted'] as const;
type LooseningStatus = (typeof looseningStatuses)[number];

interface LooseningView {
  readonly id: string;
  readonly on: { readonly type: RuleType; readonly name: string; readonly member: string };
  readonly from: unknown;
  readonly to: unknown;
  readonly since: number;
  readonly status: LooseningStatus;
  readonly decidedBy: ActorRef | null;
}

interface LooseningRow extends Omit<LooseningView, 'on'> {
  readonly type: RuleType;
  readonly name: string;
  readonly member: string;
}

const columns =
  'id, type, name, member, value_from as "from", value_to as "to", since, status, decided_by as "decidedBy"';
const listSql = statement(
  'loosenings.list',
  `select ${columns} from loosenings where env = $1 and id < $2 order by id desc limit $3`,
);
const listByStatusSql = statement(
  'loosenings.listByStatus',
  `select ${columns} from loosenings where env = $1 and id < $2 and status = $4 order by id desc limit $3`,
);
/** Locks the environment as a declaration does, so that neither sees half of the other. */
const environmentSql = statement(
  'loosenings.environment',
  `
  select e.name, d.manifest from environments e left join definitions d on d.env = e.id
  where e.id = $1 for no key update of e`,
);
const oneSql = statement('loosenings.one', `select ${columns} from loosenings where env = $1 and id = $2`);
const decideSql = statement(
  'loosenings.decide',
  `
  update loosenings set status = $3, decided_by = $4::jsonb, decided_at = $5 where env = $1 and id = $2
  returning ${columns}`,
);

const view = ({ type, name, member, ...rest }: LooseningRow): LooseningView => ({
  id: rest.id,
  on: { type, name, member },
  from: rest.from,
  to: rest.to,
  since: rest.since,
  status: rest.status,
  decidedBy: rest.decidedBy,
});

/** After every id of a loosening. */
const lastId = 'loo_z';

/** Returns a page of the loosenings of an environment, newest first, and the id that the next page comes after. */
export const listLoosenings = async (
  db: Db,
  envId: number,
  { status, after, limit }: { status: LooseningStatus | undefined; after: string | null; limit: number },
): Promise<{ readonly loosenings: LooseningView[]; readonly next: string | null }> => {
  const given = [envId, after ?? lastId, limit + 1];
  const rows = await (status === undefined
    ? queryRows<LooseningRow>(db, listSql, given)
    : queryRows<LooseningRow>(db, listByStatusSql, [...given, status]));
  const { page, last } = cutPage(rows, limit);
  return { loosenings: page.map(view), next: last?.id ?? null };
};

/** Brings the rule of a name to what is declared of one member now. Throws `conflict` when nothing declares the name. */
const acceptDeclared = async (
  tx: Tx,
  { envId, at, manifest }: { envId: number; at: number; manifest: Manifest | null },
  { type, name, member }: LooseningRow,
): Promise<void> => {
  const declared = {
    action: manifest?.actions?.find((action) => action.name === name),
    flag: manifest?.flags?.find((flag) => flag.key === name),
    inbox: manifest?.inboxes?.find((inbox) => inbox.name === name),
  }[type];
  const [stored] = await readRules(tx, envId, { action: [], flag: [], inbox: [], [type]: [name] });
  if (declared === undefined || stored === undefined)
    throw fault('conflict', `The ${type} ${name} is not declared now; accept this when it is declared again.`);
  const { rule } = compareRule(type, declared, acceptMember(type, declared, stored.rule, member));
  await writeRuleChanges(tx, envId, at, { rules: [{ type, name, rule }], added: [], ended: [] });
};

/** Accepts or refuses a loosening that waits. Throws `not_found`, and `conflict` for one that is decided or only noted. */
export const decideLoosening = async (
  tx: Tx,
  admin: Administrator & { readonly env: number },
  id: string,
  status: 'accepted' | 'refused',
): Promise<LooseningView> => {
  const { env: envId, at, by } = admin;
  const env = await queryRow<{ name: string; manifest: Manifest | null }>(tx, environmentSql, [envId]);
  const found = await queryRow<LooseningRow>(tx, oneSql, [envId, id]);
  if (env === undefined || found === undefined) throw fault('not_found');
  if (found.status !== 'waiting')
    throw fault(
      'conflict',
      found.status === 'noted' ? 'This is a note; nothing waits for a decision.' : `This was ${found.status} before.`,
    );
  if (status === 'accepted') await acceptDeclared(tx, { envId, at, manifest: env.manifest }, found);
  const decided = await queryRow<LooseningRow>(tx, decideSql, [envId, id, status, JSON.stringify(by), at]);
  const { type, name, member, from, to } = found;
  await recordAdminChange(tx, admin, {
    verb: status === 'accepted' ? 'loosening.accept' : 'loosening.refuse',
    target: { type: 'loosening', id },
    environments: [env.name],
    before: { status: found.status },
    // A flag or an inbox that a role doesn't see is found by this member.
    after: { status, on: { type, name, member }, from, to, ...(type === 'action' ? {} : { [type]: name }) },
  });
  return view(decided ?? found);
};
