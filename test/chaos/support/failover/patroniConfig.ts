/** Patroni's configuration of one node, as operators have it but for the addresses; JSON is YAML too. Used by node.ts. */

export interface NodePorts {
  /** Where its programs listen. */
  readonly postgres: number;
  readonly rest: number;
  /** Where its programs listen for the others, and where it finds etcd: each can be cut. */
  readonly replication: number;
  readonly restForOthers: number;
  readonly etcd: number;
}

export interface NodeOptions {
  readonly name: string;
  readonly dir: string;
  readonly bin: string;
  readonly superuser: string;
  readonly passwords: { readonly owner: string; readonly replication: string };
}

const local = (port: number): string => `127.0.0.1:${String(port)}`;

/** The settings that all nodes share, kept in etcd from the first start on. */
export const clusterSettings = {
  ttl: 15,
  loop_wait: 3,
  retry_timeout: 5,
  maximum_lag_on_failover: 1_048_576,
  synchronous_mode: true,
  postgresql: {
    use_pg_rewind: true,
    use_slots: true,
    parameters: {
      max_connections: 200,
      shared_buffers: '256MB',
      jit: 'off',
      wal_log_hints: 'on',
      wal_keep_size: '512MB',
      max_wal_size: '4GB',
      random_page_cost: 1.1,
    },
  },
};

export const patroniConfig = (
  { name, dir, bin, superuser, passwords }: NodeOptions,
  { postgres, rest, replication, restForOthers, etcd }: NodePorts,
): object => ({
  scope: 'console',
  name,
  restapi: { listen: local(rest), connect_address: local(restForOthers) },
  // Not by version 3 of its protocol, in which Patroni before 3.0.3 lets a node that was frozen take the lead back from the
  // one that was promoted meanwhile. And not at the addresses that etcd tells of itself, which nothing would cut.
  etcd: { hosts: [local(etcd)], use_proxies: true },
  bootstrap: {
    dcs: clusterSettings,
    initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums'],
  },
  postgresql: {
    listen: local(postgres),
    connect_address: local(replication),
    data_dir: `${dir}/data`,
    bin_dir: bin,
    pgpass: `${dir}/pgpass`,
    authentication: {
      superuser: { username: superuser, password: passwords.owner },
      replication: { username: 'replicator', password: passwords.replication },
    },
    pg_hba: ['host all all 127.0.0.1/32 scram-sha-256', 'host replication replicator 127.0.0.1/32 scram-sha-256'],
    // No socket file: its path may be longer than 107 bytes.
    parameters: { unix_socket_directories: '', password_encryption: 'scram-sha-256' },
  },
  watchdog: { mode: 'off' },
});
