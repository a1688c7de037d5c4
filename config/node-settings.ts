import { availableParallelism } from 'node:os';
import { type Schema, schema } from '../kernel/plugins/config-schema.ts';

/** What concerns the node as a whole: the `node` part of the file. */
export interface NodeSettings {
  readonly serviceName: string;
  readonly id?: string;
  readonly url: string;
  readonly authRequired: boolean;
  readonly allowInsecure: boolean;
  readonly maxBodyBytes: number;
  readonly trustedProxies: readonly string[];
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  readonly workers: number | 'auto';
}

const MAX_NODE_ID_LENGTH = 256;
const LEAST_BODY_BYTES = 1024;
const MOST_BODY_BYTES = 64 * 1024 * 1024;
const MOST_WORKERS = 64;

/** How many processes serve behind the port. */
export const workerCount = ({ workers }: NodeSettings): number =>
  workers === 'auto' ? Math.min(availableParallelism(), MOST_WORKERS) : workers;

export const nodeSettings: Schema<NodeSettings> = schema<NodeSettings>({
  type: 'object',
  required: [
    'serviceName',
    'url',
    'authRequired',
    'allowInsecure',
    'maxBodyBytes',
    'trustedProxies',
    'logLevel',
    'workers',
  ],
  properties: {
    serviceName: {
      type: 'string',
      pattern: '^[a-z][a-z0-9-]{0,31}$',
      default: 'svc',
      env: 'SVC_SERVICE_NAME',
      description: "the service's own name wherever it occurs in an identifier; fixed by the first start of a store",
    },
    id: {
      type: 'string',
      pattern: `^[!-~]{1,${MAX_NODE_ID_LENGTH}}$`,
      env: 'SVC_NODE_ID',
      description:
        'identity of the node; drawn by the first start of a store when it is left out, and fixed from then on',
    },
    url: {
      type: 'string',
      format: 'http-url',
      default: 'http://localhost:8765',
      env: 'SVC_NODE_URL',
      description: 'address under which others reach the node',
    },
    authRequired: {
      type: 'boolean',
      default: true,
      env: 'SVC_AUTH_REQUIRED',
      description: 'whether requests need a key; false is for local development',
    },
    allowInsecure: {
      type: 'boolean',
      default: false,
      env: 'SVC_ALLOW_INSECURE',
      description: 'lets a node that needs no keys listen on an address that is not a loopback one',
    },
    maxBodyBytes: {
      type: 'integer',
      minimum: LEAST_BODY_BYTES,
      maximum: MOST_BODY_BYTES,
      default: 2_097_152,
      env: 'SVC_MAX_BODY_BYTES',
      description: 'largest body of a request; bulk routes have a limit of their own',
    },
    trustedProxies: {
      type: 'array',
      items: { type: 'string', format: 'ip-network' },
      default: [],
      env: 'SVC_TRUSTED_PROXIES',
      description: 'proxies whose X-Forwarded-For names the client, for the delays after refused credentials alone',
    },
    logLevel: {
      type: 'string',
      enum: ['debug', 'info', 'warn', 'error', 'silent'],
      default: 'info',
      env: 'SVC_LOG_LEVEL',
      description: 'weakest messages that are logged',
    },
    workers: {
      type: ['integer', 'string'],
      minimum: 1,
      maximum: MOST_WORKERS,
      pattern: '^auto$',
      default: 1,
      env: 'SVC_WORKERS',
      description: 'processes that serve behind the port; auto is one for each processor',
    },
  },
});

/** Where the node listens and whom browsers let in: the `transport` part of the adapters. */
export interface KoaSettings {
  readonly host: string;
  readonly port: number;
  readonly corsAllowedOrigins: readonly string[];
  readonly corsDevLocalhost: boolean;
}

export const koaSettings: Schema<KoaSettings> = schema<KoaSettings>({
  type: 'object',
  required: ['host', 'port', 'corsAllowedOrigins', 'corsDevLocalhost'],
  properties: {
    host: {
      type: 'string',
      minLength: 1,
      default: '127.0.0.1',
      env: 'SVC_HOST',
      description: 'address to listen on; a container sets 0.0.0.0',
    },
    port: {
      type: 'integer',
      minimum: 0,
      maximum: 65_535,
      default: 8765,
      env: 'SVC_PORT',
      description: 'port to listen on; 0 takes a free one',
    },
    corsAllowedOrigins: {
      type: 'array',
      items: { type: 'string', format: 'origin' },
      default: [],
      env: 'SVC_CORS_ALLOWED_ORIGINS',
      description: 'origins whose pages may call the node, app://obsidian.md for example',
    },
    corsDevLocalhost: {
      type: 'boolean',
      default: false,
      env: 'SVC_CORS_DEV_LOCALHOST',
      description: 'lets pages of localhost and 127.0.0.1 call the node, on any port',
    },
  },
});

export interface PostgresSettings {
  readonly url: string;
  readonly dataFolder: string;
  readonly poolSize: number;
  readonly lockTimeoutMs: number;
  readonly statementTimeoutMs: number;
}

const LEAST_POOL = 4;
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
        'PostgreSQL: postgres://user:password@host:port/database; the variable, when set, chooses PostgreSQL',
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
      description: 'PostgreSQL: connections that one process opens at most',
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

export interface SqliteSettings {
  readonly path: string;
}

export const sqliteSettings: Schema<SqliteSettings> = schema<SqliteSettings>({
  type: 'object',
  required: ['path'],
  properties: {
    path: {
      type: 'string',
      minLength: 1,
      default: 'data/svc.db',
      env: 'SVC_DB_PATH',
      description: 'file of the store, created with its folder when it is missing',
    },
  },
});
