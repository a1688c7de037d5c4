import { join } from 'node:path';
import { addressOf, DATABASE_HOSTS } from './host-network.ts';

/** The folder of the PostgreSQL programs that Debian installs. */
export const POSTGRES_PROGRAMS = '/usr/lib/postgresql/15/bin';
export const POSTGRES_PORT = 5432;
/** The port on which Patroni tells about its cluster. */
export const CONTROL_PORT = 8008;
const ETCD_PORT = 2379;
const ETCD_PEER_PORT = 2380;

/** The seconds after which a lock that nobody renews is free. Patroni names 20 as the least. */
const LOCK_SECONDS = 20;

const RULES = ['local all all trust', 'host all all 10.99.0.0/24 trust', 'host replication all 10.99.0.0/24 trust'];

/**
 * Returns the configuration of Patroni on one host. A commit waits for one standby in every case: the strict mode takes
 * no writes while there is none. Patroni speaks version 2 of etcd's protocol here. Over version 3 the Patroni 3.0.2 of
 * Debian writes its lock back without a comparison. A primary that was cut off then takes the lock from its successor,
 * and the facts since the promotion are lost.
 */
export const patroniConfig = (host: number, folder: string): object => ({
  scope: 'facts',
  name: `db${host}`,
  restapi: { listen: `${addressOf(host)}:${CONTROL_PORT}`, connect_address: `${addressOf(host)}:${CONTROL_PORT}` },
  etcd: { hosts: DATABASE_HOSTS.map((other) => `${addressOf(other)}:${ETCD_PORT}`) },
  bootstrap: {
    dcs: {
      ttl: LOCK_SECONDS,
      loop_wait: 1,
      retry_timeout: 5,
      synchronous_mode: true,
      synchronous_mode_strict: true,
      synchronous_node_count: 1,
      primary_start_timeout: 0,
      postgresql: {
        use_pg_rewind: true,
        use_slots: true,
        parameters: {
          synchronous_commit: 'on',
          wal_log_hints: 'on',
          wal_keep_size: '256MB',
          // A new primary takes writes only when a standby has found it.
          wal_retrieve_retry_interval: '1s',
          max_connections: 150,
          shared_buffers: '64MB',
          fsync: 'off',
        },
      },
    },
    initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }],
  },
  postgresql: {
    listen: `${addressOf(host)}:${POSTGRES_PORT}`,
    connect_address: `${addressOf(host)}:${POSTGRES_PORT}`,
    bin_dir: POSTGRES_PROGRAMS,
    data_dir: join(folder, 'data'),
    pgpass: join(folder, 'pgpass'),
    pg_hba: RULES,
    authentication: { superuser: { username: 'postgres' }, replication: { username: 'replicator' } },
    parameters: { unix_socket_directories: folder },
  },
});

/** Returns the arguments of etcd on one host. */
export const etcdArguments = (host: number, folder: string): readonly string[] => {
  const [client, peer] = [`http://${addressOf(host)}:${ETCD_PORT}`, `http://${addressOf(host)}:${ETCD_PEER_PORT}`];
  const members = DATABASE_HOSTS.map((other) => `db${other}=http://${addressOf(other)}:${ETCD_PEER_PORT}`);
  return [
    `--name=db${host}`,
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=${members.join()}`,
    '--initial-cluster-state=new',
    '--enable-v2=true',
  ];
};
