import { type Schema, schema } from '../../ports/ports.ts';
import { LEAST_POOL } from './connection-share.ts';

export interface PostgresSettings {
  readonly url: string;
  readonly directUrl?: string;
  readonly replicaUrls?: readonly string[];
  readonly dataFolder: string;
  readonly poolSize: number;
  readonly lockTimeoutMs: number;
  readonly statementTimeoutMs: number;
}

const MOST_POOL = 1_000;
const SHORTEST_TIMEOUT_MS = 100;
const LONGEST_TIMEOUT_MS = 600_000;

export const postgresSettings: Schema<PostgresSettings> = schema<PostgresSettings>({
  type: 'object',
  required: ['url', 'dataFolder', 'poolSize', 'lockTimeoutMs', 'statementTimeoutMs'],
  properties: {
    url: {
      type: 'string',
      pattern: '^postgres(ql)?://',
      env: 'SVC_DATABASE_URL',
      writeOnly: true,
      description:
        'PostgreSQL: postgres://user:password@host:port/database, or host:port,host:port for the servers of a cluster; the variable, when set, chooses PostgreSQL',
    },
    directUrl: {
      type: 'string',
      pattern: '^postgres(ql)?://',
      env: 'SVC_DATABASE_DIRECT_URL',
      writeOnly: true,
      description:
        'PostgreSQL: address of the server itself, where SVC_DATABASE_URL names a pooler that shares sessions between transactions',
    },
    replicaUrls: {
      type: 'array',
      items: { type: 'string', pattern: '^postgres(ql)?://' },
      env: 'SVC_DATABASE_REPLICA_URLS',
      writeOnly: true,
      description:
        'PostgreSQL: servers that follow the primary and serve reads when they have everything it has stored',
    },
    dataFolder: {
      type: 'string',
      minLength: 1,
      default: 'data',
      env: 'SVC_DATA_FOLDER',
      description:
        'PostgreSQL: folder for what lies beside an SQLite store otherwise: the private key, the first API key',
    },
    poolSize: {
      type: 'integer',
      minimum: LEAST_POOL,
      maximum: MOST_POOL,
      default: 16,
      env: 'SVC_DATABASE_POOL_SIZE',
      description:
        'PostgreSQL: connections that one process opens at most; fewer where the server has too few for all processes',
    },
    lockTimeoutMs: {
      type: 'integer',
      minimum: SHORTEST_TIMEOUT_MS,
      maximum: LONGEST_TIMEOUT_MS,
      default: 5_000,
      env: 'SVC_DATABASE_LOCK_TIMEOUT_MS',
      description: 'PostgreSQL: how long a write waits for those of other processes before it is answered with 503',
    },
    statementTimeoutMs: {
      type: 'integer',
      minimum: SHORTEST_TIMEOUT_MS,
      maximum: LONGEST_TIMEOUT_MS,
      default: 15_000,
      env: 'SVC_DATABASE_STATEMENT_TIMEOUT_MS',
      description: 'PostgreSQL: how long one statement may take before its request is answered with 503',
    },
  },
});
