/** Loosenings: what the app of an environment declares less strict than before, and waits for a person. Served by api/routes/settings.ts. */
import type { Manifest } from '../../../app/manifest/manifest.ts';
import { acceptMember, compareRule, type RuleType } from '../../../app/manifest/rules/rules.ts';
import { fault } from '../../../catalogue/errors.ts';
import type { Tx } from '../../../platform/db/knex.ts';
import { queryRow, queryRows, statement } from '../../../platform/db/sql.ts';
import { actorSchema, nullable, responseObject, Type, type Static } from '../../../platform/json/schema.ts';
import { cutPage } from '../../../platform/listing/page.ts';
import { stampSchema } from '../../schema.ts';
import { recordAdminChange, type Administrator } from '../adminChange.ts';
import { resource, type OwnVerb } from '../resource.ts';
import { readRules, writeRuleChanges } from './ruleStore.ts';

const status = Type.Union([
  Type.Literal('waiting'),
  Type.Literal('accepted'),
  Type.Literal('refused'),
  Type.Literal('noted'),
]);

const looseningView = responseObject({
  id: Type.String({ pattern: '^loo_', description: 'Id.' }),
  on: responseObject(
    {
      type: Type.Union([Type.Literal('action'), Type.Literal('flag'), Type.Literal('inbox')], {
        description: 'What kind of declaration.',
      }),
      name: Type.String({ description: 'The action, flag or inbox.' }),
      member: Type.String({ description: 'What is less strict; new: the name itself.' }),
    },
    { description: 'Which declaration.' },
  ),
  from: Type.Unknown({ description: 'What is in force; of a new name a removed one like it.' }),
  to: Type.Unknown({ description: 'What is declared.' }),
  since: stampSchema('When it was declared'),
  status: { ...status, description: 'waiting: the stricter rule holds; noted: a new name.' },
  decidedBy: nullable(actorSchema),
});

/** As the API answers it. */
export type Loosening = Static<typeof looseningView>;

interface LooseningRow extends Omit<Loosening, 'on'> {
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

const view = ({ type, name, member, ...rest }: LooseningRow): Loosening => ({
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
const decideLoosening = async (
  tx: Tx,
  admin: Administrator,
  { id, envId }: { readonly id: string; readonly envId: number },
  status: 'accepted' | 'refused',
): Promise<Loosening> => {
  const { at, by } = admin;
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

const decision = (
  status: 'accepted' | 'refused',
  verb: Pick<OwnVerb, 'id' | 'summary' | 'description' | 'exampleId'>,
): OwnVerb => ({
  ...verb,
  fresh: 'always',
  status: 200,
  run: async (tx, admin, call) => ({ loosening: await decideLoosening(tx, admin, call, status) }),
});

export const loosenings = resource({
  type: 'loosening',
  plural: 'loosenings',
  path: '/settings/loosenings',
  exampleId: 'loo_01jd0000000000000000000000',
  view: looseningView,
  components: { Loosening: [looseningView, 'A declared rule that is less strict than the one in force.'] },
  list: {
    id: 'list_loosenings',
    summary: 'What the app declares less strict than the rules in force, and its new names, newest first',
    description: 'What the app declares less strictly.',
    filters: { status: Type.Optional({ ...status, description: 'Only those; all when absent.' }) },
    example: { status: 'waiting' },
    findPage: async ({ db, envId }, { filters, after, limit }) => {
      const given = [envId, after ?? lastId, limit + 1];
      const rows = await (typeof filters['status'] === 'string'
        ? queryRows<LooseningRow>(db, listByStatusSql, [...given, filters['status']])
        : queryRows<LooseningRow>(db, listSql, given));
      const { page, last } = cutPage(rows, limit);
      return { page: page.map(view), next: last?.id ?? null };
    },
  },
  own: {
    accept: decision('accepted', {
      id: 'accept_loosening',
      summary: 'Let what is declared take effect',
      description: 'Puts the declared value in force.',
    }),
    refuse: decision('refused', {
      id: 'refuse_loosening',
      summary: 'Keep the stricter rule for as long as this is declared',
      description: 'Keeps the stricter rule.',
      exampleId: 'loo_01jd0000000000000000000001',
    }),
  },
});
