import type { AdapterParts, KeySource } from '../ports/ports.ts';
import type { NodeConfig } from './node-config.ts';

/** Makes the source of keys on its first use, so that commands which seal nothing never ask for a key. */
export const createKeySource = (
  { keySource }: Pick<NodeConfig, 'keySource'>,
  parts: AdapterParts,
): KeySource | undefined => {
  if (keySource === undefined) return undefined;
  let made: Promise<KeySource> | undefined;
  return {
    readKeys: async () => {
      made ??= Promise.resolve(keySource.adapter.create(keySource.settings, parts));
      return (await made).readKeys();
    },
  };
};
