import { type Schema, schema } from '../../ports/ports.ts';

export interface SqliteSettings {
  readonly path: string;
  readonly factCacheMiB: number;
}

export const sqliteSettings: Schema<SqliteSettings> = schema<SqliteSettings>({
  type: 'object',
  required: ['path', 'factCacheMiB'],
  properties: {
    path: {
      type: 'string',
      minLength: 1,
      default: 'data/svc.db',
      env: 'SVC_DB_PATH',
      description: 'file of the store, created with its folder when it is missing',
    },
    factCacheMiB: {
      type: 'integer',
      minimum: 0,
      maximum: 16_384,
      default: 64,
      env: 'SVC_FACT_CACHE_MIB',
      description: 'memory for facts that were read, in MiB for each process; 0 keeps none',
    },
  },
});
