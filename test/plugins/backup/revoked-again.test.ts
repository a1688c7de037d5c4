import { basename } from 'node:path';
import { expect } from 'chai';
import type { ServingNode } from '../../adapters/cli/spawned-program.ts';
import { fewPlugins } from '../../kit/few-plugins.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { BackupPlace, request } from './backup-place.ts';

const LIMIT_MS = 120_000;
const TOKENS = '/v1/federation/capability-tokens';
const RAW_KEY = 'revoked-later-0123456789abcdef0123456789abcdef';

forEachStore('a revocation after a backup', (kind) => {
  let place: BackupPlace;
  beforeEach(async () => {
    place = await BackupPlace.on(kind, fewPlugins('backup', 'capability-tokens', 'jobs', 'upkeep'));
  });
  afterEach(() => place.dispose());

  const statusOf = async (node: ServingNode): Promise<number> =>
    (await fetch(`${node.url}/v1/facts?entity=user:a`, { headers: { Authorization: `Bearer ${RAW_KEY}` } })).status;

  /** Registers a key and issues a token, backs up, and withdraws both. Returns the backup and the id of the token. */
  const withdrawBoth = async (node: ServingNode): Promise<[string, string]> => {
    const key = await request(node, 'POST', '/v1/auth/keys', {
      raw_key: RAW_KEY,
      entity_uri: 'agent:leaver',
      permissions: ['read'],
      allowed_scopes: ['company'],
    });
    expect(key.status, JSON.stringify(key.body)).to.equal(201);
    const issued = await request(node, 'POST', TOKENS, {
      issuer: 'agent:admin',
      subject: 'agent:leaver',
      verb: 'subscribe',
      object: 'project:atlas',
      ttl_seconds: 86_400,
    });
    expect(issued.status, JSON.stringify(issued.body)).to.equal(201);
    expect(await statusOf(node)).to.equal(200);
    const folder = await place.backUp();
    await request(node, 'DELETE', `/v1/auth/keys/${key.body.id}`);
    await request(node, 'POST', `${TOKENS}/${issued.body.token_id}/revoke`, {});
    expect(await statusOf(node)).to.equal(401);
    return [folder, issued.body.token_id];
  };
  const restore = async (folder: string): Promise<void> => {
    const restored = await place.run(['restore', basename(folder), '--replace']);
    expect(restored.exitCode, restored.stderr).to.equal(0);
  };
  const expectWithdrawn = async (node: ServingNode, tokenId: string): Promise<void> => {
    expect(await statusOf(node)).to.equal(401);
    const once = await request(node, 'POST', `${TOKENS}/${tokenId}/revoke`, {});
    expect(once.status, 'it is revoked already').to.equal(409);
  };

  it('of a key and of a token holds after that backup is restored', async () => {
    const node = await place.start();
    const [folder, tokenId] = await withdrawBoth(node);
    await node.end();
    await restore(folder);
    const again = await place.start();
    await expectWithdrawn(again, tokenId);
    await again.end();
  }).timeout(LIMIT_MS);
});
