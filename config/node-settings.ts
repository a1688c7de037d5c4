import { availableParallelism } from 'node:os';
import { DEFAULT_DISPLAY_NAME } from '../kernel/internal-api.ts';
import { type Schema, schema } from '../ports/schema.ts';

/** Settings of the node as a whole: the `node` part of the file. */
export interface NodeSettings {
  readonly serviceName: string;
  readonly displayName: string;
  readonly id?: string;
  readonly url: string;
  readonly authRequired: boolean;
  readonly allowInsecure: boolean;
  readonly maxBodyBytes: number;
  readonly trustedProxies: readonly string[];
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  readonly workers: number | 'auto';
  readonly cacheMiB: number | 'auto';
  readonly maxStampLeadS: number;
  readonly drainDelayS: number;
  readonly encryptionKeyStore?: string;
}

const MOST_CACHE_MIB = 65_536;
const MAX_NODE_ID_LENGTH = 256;
const LEAST_BODY_BYTES = 1024;
const MOST_BODY_BYTES = 64 * 1024 * 1024;
const MOST_WORKERS = 64;
/** The maximum lead of stamps in seconds, one day. */
const MOST_STAMP_LEAD_S = 86_400;
/** The maximum delay in seconds. Of the ten seconds that a stop may take, at least five stay for running requests. */
const MOST_DRAIN_DELAY_S = 5;

/** Returns the number of processes that serve behind the port. */
export const workerCount = ({ workers }: Pick<NodeSettings, 'workers'>): number =>
  workers === 'auto' ? Math.min(availableParallelism(), MOST_WORKERS) : workers;

export const nodeSettings: Schema<NodeSettings> = schema<NodeSettings>({
  type: 'object',
  required: [
    'serviceName',
    'displayName',
    'url',
    'authRequired',
    'allowInsecure',
    'maxBodyBytes',
    'trustedProxies',
    'logLevel',
    'workers',
    'cacheMiB',
    'maxStampLeadS',
    'drainDelayS',
  ],
  properties: {
    serviceName: {
      type: 'string',
      pattern: '^[a-z][a-z0-9-]{0,31}$',
      default: 'svc',
      env: 'SVC_SERVICE_NAME',
      description: "the service's own name wherever it occurs in an identifier; fixed by the first start of a store",
    },
    displayName: {
      type: 'string',
      minLength: 1,
      maxLength: 40,
      default: DEFAULT_DISPLAY_NAME,
      env: 'SVC_DISPLAY_NAME',
      description:
        'name of the memory for people: in the console, for clients of MCP and in the description of the API',
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
      format: 'base-url',
      default: 'http://localhost:8765',
      env: 'SVC_NODE_URL',
      description: 'address under which others reach the node; by default with the port on which it listens',
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
    cacheMiB: {
      type: ['integer', 'string'],
      minimum: 0,
      maximum: MOST_CACHE_MIB,
      pattern: '^auto$',
      default: 'auto',
      env: 'SVC_CACHE_MIB',
      description:
        'memory for cached facts and answers, in MiB for all processes together; auto is a 64th of the memory of the ' +
        'machine or container, from 32 to 64; 0 caches nothing',
    },
    maxStampLeadS: {
      type: 'integer',
      minimum: 0,
      maximum: MOST_STAMP_LEAD_S,
      default: 300,
      env: 'SVC_FEDERATION_HLC_MAX_FUTURE_SKEW_S',
      description: 'how far ahead of the clock of this machine a stamp of another node may lie, in seconds; 0: any',
    },
    drainDelayS: {
      type: 'integer',
      minimum: 0,
      maximum: MOST_DRAIN_DELAY_S,
      default: 0,
      env: 'SVC_DRAIN_DELAY_S',
      description: 'seconds for which a node that stops still serves, while /readyz says that it is not ready',
    },
    encryptionKeyStore: {
      type: 'string',
      minLength: 1,
      maxLength: 4_096,
      env: 'SVC_ENCRYPTION_KEY_STORE',
      description:
        'file with the keys of a sealed store, each sealed with the key of the operator; content-keys.json in the ' +
        'data folder when it is left out, and one file for all hosts on a database',
    },
  },
});
