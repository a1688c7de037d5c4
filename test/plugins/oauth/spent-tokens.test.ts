import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { createManualClock } from '../../fakes/manual-clock.ts';
import { fewPlugins } from '../../kit/few-plugins.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { inTemporaryFolder } from '../../kit/temporary-folder.ts';
import { BackupPlace } from '../backup/backup-place.ts';
import { askFor, codeFor, giveAccess, NODE_URL, redeem, refresh, register, startOAuthNode } from './oauth-kit.ts';
import { asNode } from './program-node.ts';

const LIMIT_MS = 120_000;
const DAY_MS = 86_400_000;
const PERSON = 'backup-place-0123456789abcdef0123456789abcdef';

forEachStore('a refresh token that was used after a backup', (kind) => {
  let place: BackupPlace;
  beforeEach(async () => {
    place = await BackupPlace.on(kind, fewPlugins('backup', 'jobs', 'mcp', 'oauth', 'oidc'));
  });
  afterEach(() => place.dispose());

  it('is refused after that backup is restored, and ends its grant', async () => {
    const env = { SVC_OAUTH_ENABLED: 'true', SVC_NODE_URL: NODE_URL };
    const program = await place.start(env);
    const node = asNode(program);
    const registered = await register(node);
    const clientId = String(registered.body?.client_id);
    const given = await redeem(node, clientId, await codeFor(node, askFor(clientId), PERSON));
    expect(given.status, given.text).to.equal(200);
    const backup = await place.backUp();
    expect((await refresh(node, clientId, given.body.refresh_token)).status).to.equal(200);
    await program.end();
    const restored = await place.run(['restore', backup, '--replace']);
    expect(restored.exitCode, restored.stderr).to.equal(0);
    const again = await place.start(env);
    const stolen = await refresh(asNode(again), clientId, given.body.refresh_token);
    expect([stolen.status, stolen.body.error]).to.deep.equal([400, 'invalid_grant']);
    const left = await asNode(again).request('GET', '/v1/oauth/grants', { key: PERSON });
    expect(left.body.grants).to.deep.equal([]);
    await again.end();
  }).timeout(LIMIT_MS);
});

forEachStore('the file of spent tokens', () => {
  it('names each until it expires, and the next start removes it then', () =>
    inTemporaryFolder(async (folder) => {
      const clock = createManualClock();
      const lines = (): string[] =>
        readFileSync(join(folder, 'spent-tokens'), 'utf8')
          .split('\n')
          .filter((line) => line !== '');
      const startLater = async (ms: number): Promise<void> => {
        clock.setNowMs(clock.nowMs() + ms);
        await (await startOAuthNode({}, { clock, folder })).stop();
      };
      const first = await startOAuthNode({}, { clock, folder });
      const { refresh: token } = await giveAccess(first);
      await refresh(first, first.clientId, token);
      await first.stop();
      expect(lines().length, 'the code and the refresh token').to.equal(2);
      expect(lines().join('\n'), 'no secret').to.not.include(token);
      await startLater(DAY_MS);
      expect(lines().length, 'the code has expired').to.equal(1);
      await startLater(30 * DAY_MS);
      expect(lines()).to.deep.equal([]);
    })).timeout(LIMIT_MS);
});
