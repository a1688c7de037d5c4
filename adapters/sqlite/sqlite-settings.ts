import { availableParallelism } from 'node:os';
import { type Schema, schema } from '../../ports/ports.ts';

export interface SqliteSettings {
  readonly path: string;
  readonly writer: 'auto' | 'thread' | 'inline';
}

export const sqliteSettings: Schema<SqliteSettings> = schema<SqliteSettings>({
  type: 'object',
  required: ['path', 'writer'],
  properties: {
    path: {
      type: 'string',
      minLength: 1,
      // A path that ends as one of a folder names no file that a later start would find.
      pattern: '[^/]$',
      default: 'data/svc.db',
      env: 'SVC_DB_PATH',
      description: 'file of the store, not its folder; created together with it when it is missing',
    },
    writer: {
      type: 'string',
      enum: ['auto', 'thread', 'inline'],
      default: 'auto',
      env: 'SVC_SQLITE_WRITER',
      description:
        'whether a thread of its own writes the file; `auto` gives it one where the process may use four cores or more',
    },
  },
});

/**
 * The minimum number of cores for a writer thread. With fewer, it would take processor time from the serving thread.
 */
const CORES_FOR_A_THREAD = 4;

export const writerFor = (writer: SqliteSettings['writer']): 'thread' | 'inline' => {
  if (writer !== 'auto') return writer;
  return availableParallelism() >= CORES_FOR_A_THREAD ? 'thread' : 'inline';
};
