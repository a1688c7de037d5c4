import { type Schema, schema } from '../../ports/ports.ts';

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
