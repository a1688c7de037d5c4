import type { EncryptionStatus, EncryptionWork } from '../adapters/cli/command-line-deps.ts';
import {
  openKeys,
  readKeyFile,
  readKeyFileHeader,
  replaceKeyFile,
  spellKeys,
} from '../adapters/sealed/content-key-file.ts';
import { type FactStore, type KeySource, ServiceError } from '../ports/ports.ts';
import { contentKeyPath } from './content-key-place.ts';
import { convertStore } from './convert-store.ts';
import type { Node } from './create-node.ts';
import { noKeyFile } from './fitting-keys.ts';
import { readStoreSealState } from './node-seal.ts';
import { requireStore } from './require-store.ts';

/** Creates the commands for the seal of the store of a node that was not started. */
export const createEncryptionWork = (node: Node, openClear: () => Promise<FactStore>): EncryptionWork => {
  const { config, keySource, seal } = node;
  const path = contentKeyPath(config);
  const requireUnused = async (): Promise<void> => {
    await config.store.adapter.requireUnused?.(config.store.settings);
    await requireStore(config, openClear);
  };
  return {
    status: async (): Promise<EncryptionStatus> => {
      await requireStore(config, openClear);
      const { mark, unfinished } = await readStoreSealState({ config, openClear });
      const text = mark === undefined ? undefined : await readKeyFile(path);
      const header = text === undefined ? undefined : readKeyFileHeader(text, path);
      return {
        isSealed: mark !== undefined,
        keyId: header?.keyId ?? null,
        keyFile: path,
        version: header?.version ?? null,
        unfinished: unfinished?.to ?? null,
      };
    },
    rewrap: async () => {
      await requireUnused();
      const { mark, unfinished } = await readStoreSealState({ config, openClear });
      const text = await readKeyFile(path);
      if (text === undefined) {
        throw mark === undefined && unfinished === undefined ? nothingToRewrap(path) : noKeyFile(path);
      }
      const source = requireKeySource(keySource);
      const keys = await openKeys(text, source, path);
      const renewed = await spellKeys(keys, source);
      await replaceKeyFile(path, renewed);
      const { keyId } = readKeyFileHeader(renewed, path);
      const copiesNotReplaced = await seal.replaceCopies(renewed);
      return { keyId, formerKeyId: readKeyFileHeader(text, path).keyId, copiesNotReplaced };
    },
    convert: async (conversion, progress) => {
      await requireUnused();
      return convertStore({ node, openClear, path, source: requireKeySource(keySource), progress }, conversion);
    },
  };
};

const requireKeySource = (keySource: KeySource | undefined): KeySource => {
  if (keySource === undefined) throw noKeyAtAll();
  return keySource;
};

const nothingToRewrap = (path: string): ServiceError =>
  new ServiceError('lookup', `the store is not sealed, and there are no content keys at ${path}`, {
    hint: '"fact-memory-node encryption on" makes them, and seals the store with them',
  });

const noKeyAtAll = (): ServiceError =>
  new ServiceError('validation', 'this node has no encryption key', {
    hint: 'give it in SVC_ENCRYPTION_KEY_FILE or SVC_ENCRYPTION_KEY_COMMAND',
  });
