import { expect } from 'chai';
import type { NodeNotes, SignatureWork } from '../../../kernel/plugin-api.ts';
import { openNodeIdentity } from '../../../plugins/node-info/node-identity.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';

const PRIVATE_KEY = 'A'.repeat(43);
const EARLIER = 'B'.repeat(43);

describe('the identity of a node', () => {
  const open = (stored: Readonly<Record<string, string>>) => {
    const notes = { read: async (name: string) => stored[name], write: async () => {} };
    return openNodeIdentity({
      settings: { privateKey: PRIVATE_KEY, privateKeyFile: 'no-folder/node.key' },
      random: createSeededRandom(),
      notes: notes as unknown as NodeNotes,
      work: {} as SignatureWork,
      changed: async () => {},
    });
  };

  it('names the key that signed last in this store, even if it is lost', async () => {
    const { publicKey, publicKeys } = await open({ 'node-key': EARLIER });
    expect(publicKeys).to.deep.equal([publicKey, EARLIER]);
  });

  it('opens beside a damaged list of keys, so that commands reach the rest of the store', async () => {
    const { publicKey, publicKeys } = await open({ 'node-keys': '{' });
    expect(publicKeys).to.deep.equal([publicKey]);
  });
});
