import { ADAPTER_API, defineKeySource, KeySource, type Schema, schema } from '../../ports/ports.ts';
import type { CommandKeysSettings } from './command-keys.ts';

const LONGEST_TIMEOUT_MS = 600_000;

const fileSettings: Schema<{ readonly path: string }> = schema<{ readonly path: string }>({
  type: 'object',
  required: ['path'],
  properties: {
    path: {
      type: 'string',
      minLength: 1,
      env: 'SVC_ENCRYPTION_KEY_FILE',
      description: 'file: file with the key that seals what leaves the node; the variable, when set, chooses it',
    },
  },
});

const commandSettings: Schema<CommandKeysSettings> = schema<CommandKeysSettings>({
  type: 'object',
  required: ['command', 'timeoutMs'],
  properties: {
    command: {
      type: 'string',
      pattern: '\\S',
      maxLength: 4_096,
      env: 'SVC_ENCRYPTION_KEY_COMMAND',
      description:
        'command: words of a command that prints the key, run without a shell; the variable, when set, chooses it',
    },
    timeoutMs: {
      type: 'integer',
      minimum: 100,
      maximum: LONGEST_TIMEOUT_MS,
      default: 30_000,
      env: 'SVC_ENCRYPTION_KEY_TIMEOUT_MS',
      description: 'command: how long it may take',
    },
  },
});

/** Reads the keys of the operator from a file. */
export const fileKeysAdapter = defineKeySource<{ readonly path: string }>({
  port: KeySource,
  name: 'file',
  adapterApi: ADAPTER_API,
  settings: fileSettings,
  create: async ({ path }) => (await import('./file-keys.ts')).createFileKeys(path),
});

/** Reads the keys of the operator from the output of a command. */
export const commandKeysAdapter = defineKeySource<CommandKeysSettings>({
  port: KeySource,
  name: 'command',
  adapterApi: ADAPTER_API,
  settings: commandSettings,
  create: async (settings) => (await import('./command-keys.ts')).createCommandKeys(settings),
});
