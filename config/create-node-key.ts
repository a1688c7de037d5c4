import { createSystemRandom } from '../adapters/random/system-random.ts';
import type { SettingReport } from '../kernel/plugins/plugin-config.ts';
import { drawNodeKey, readNodeKey } from '../plugins/node-info/node-key-file.ts';
import { ServiceError } from '../ports/ports.ts';

const OWNER = 'plugins.node-info';

/** Where the node's own key comes from; undefined while the plugin that keeps it is off. */
export const nodeKeyPlace = (
  settings: readonly SettingReport[],
): { readonly file: string; readonly byVariable: boolean } | undefined => {
  const mine = new Map(settings.filter(({ owner }) => owner === OWNER).map((setting) => [setting.key, setting]));
  const file = mine.get('privateKeyFile')?.value;
  if (typeof file !== 'string') return undefined;
  return { file, byVariable: mine.get('privateKey')?.value === '(set)' };
};

/**
 * Generates the node's own key in place of a file that was lost, and returns the file. Rejects with `conflict` where
 * there is a key.
 */
export const createNodeKey = async (settings: readonly SettingReport[]): Promise<string | undefined> => {
  const place = nodeKeyPlace(settings);
  if (place === undefined) return undefined;
  if (place.byVariable) {
    throw new ServiceError('conflict', 'the private key is given by SVC_NODE_PRIVATE_KEY and not kept in a file', {
      hint: 'leave the variable out, so that the file counts',
    });
  }
  if ((await readNodeKey(place.file)) !== undefined) {
    throw new ServiceError('conflict', `the node has a private key already: ${place.file}`, {
      hint: 'to put another one in its place, run "fact-memory-node node-key rotate"',
    });
  }
  await drawNodeKey(place.file, createSystemRandom());
  return place.file;
};
