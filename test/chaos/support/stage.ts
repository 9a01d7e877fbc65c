/** An environment of its own for one invariant: made as the admin command makes it, with agents that keep one journal. */
import {
  runAdminChange,
  systemAdministrator,
  type Administrator,
} from '../../../shared/accounts/settings/adminChange.ts';
import { createAgent, revokeAgent } from '../../../shared/accounts/settings/agents.ts';
import { createAppKey } from '../../../shared/accounts/settings/appKeys.ts';
import { createEnvironment } from '../../../shared/accounts/settings/environments/environments.ts';
import { createRole, updateRole } from '../../../shared/accounts/settings/roles.ts';
import type { Grant } from '../../../shared/catalogue/permissions.ts';
import { declareEnvironment } from '../../../shared/flags/redeclaredFlags.ts';
import { openDb, type Db, type Tx } from '../../../shared/platform/db/knex.ts';
import { testManifest } from '../../support/manifest.ts';
import { until } from '../../support/until.ts';
import { newClient, type Client, type ClientOptions } from './client.ts';
import { Journal } from './journal.ts';

export interface Stage {
  readonly env: string;
  readonly journal: Journal;
  /** An agent that may do everything. */
  readonly admin: Client;
  readonly bases: () => readonly string[];
  agent(role: string, options?: ClientOptions): Promise<Client>;
  /** Declares something else than the tests' manifest. */
  declare(manifest: unknown): Promise<void>;
  /** A key for the customer's app. */
  appKey(): Promise<string>;
  role(name: string, grants: readonly Grant[]): Promise<string>;
  /** Resolves right after the commit; no wake signal goes through Redis, the hardest case. */
  narrow(role: string, grants: readonly Grant[]): Promise<void>;
  revoke(agent: string): Promise<void>;
}

/** The running site, as far as a stage needs it. */
interface StageSite {
  readonly postgres: { readonly ownerUrl: string };
  bases(env: string): string[];
}

/** Sends no wake signals: processes must find out by themselves. */
const silent = { publish: (): void => undefined };

const administer = async <T>(site: StageSite, work: (tx: Tx, admin: Administrator) => Promise<T>): Promise<T> => {
  const db: Db = openDb({ url: site.postgres.ownerUrl, poolSize: 1, applicationName: 'chaos-stage' });
  try {
    return await runAdminChange(db, silent, (tx) => work(tx, systemAdministrator('chaos', Date.now())));
  } finally {
    await db.destroy();
  }
};

export const newStage = async (site: StageSite, env: string): Promise<Stage> => {
  const journal = new Journal();
  const bases = (): readonly string[] => site.bases(env);

  const agent = async (role: string, options: ClientOptions = {}): Promise<Client> => {
    const made = await administer(site, (tx, admin) =>
      createAgent(tx, admin, { name: `${role} of ${env}`, role }, [env]),
    );
    const client = newClient(journal, bases, { id: made.agent.id, token: made.token }, options);
    // No wake signal reached the processes: until they poll, the environment or its inboxes are unknown to them.
    for (const base of bases()) {
      const knows = async (): Promise<boolean> =>
        (await client.once('GET', `${base}/inboxes`).catch(() => null))?.text.includes('"mail"') === true;
      await until('the API knows the environment', knows, 30_000);
    }
    return client;
  };

  await administer(site, (tx, admin) => createEnvironment(tx, admin, { name: env, acceptNew: false }));
  await administer(site, (tx, admin) =>
    declareEnvironment(tx, admin, { environment: env, manifest: testManifest, startedAt: Date.now() }),
  );
  return {
    env,
    journal,
    admin: await agent('admin'),
    bases,
    agent,
    declare: async (manifest) => {
      await administer(site, (tx, admin) =>
        declareEnvironment(tx, admin, { environment: env, manifest, startedAt: Date.now() }),
      );
    },
    appKey: async () => (await administer(site, (tx, admin) => createAppKey(tx, admin, { name: 'app' }, env))).token,
    role: async (name, grants) =>
      (await administer(site, (tx, admin) => createRole(tx, admin, { name, grants: [...grants] as never }))).id,
    narrow: async (role, grants) => {
      await administer(site, (tx, admin) => updateRole(tx, admin, role, { grants: [...grants] as never }));
    },
    revoke: async (id) => {
      await administer(site, (tx, admin) => revokeAgent(tx, admin, id));
    },
  };
};
