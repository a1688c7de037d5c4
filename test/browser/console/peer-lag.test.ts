import { expect } from 'chai';
import { isBrowserInstalled, type Page } from '../../kit/browser.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { createPeerIdentity, type PeerIdentity } from '../../kit/federation/peer-identity.ts';
import { type ServedNode, startServedNode } from '../../kit/start-served-node.ts';
import { type ConsoleBrowser, type ConsolePage, startConsoleBrowser } from './console-browser.ts';
import { fillIn, isTold, press, sendForm } from './reader-steps.ts';

const INBOUND = 'What this node reads from it';
const OUTBOUND = 'What it reads from this node';
const SCOPES = { allowed_scopes: ['company', 'public'] };

const settingsOf = ({ nodeId, seed }: PeerIdentity, pullSeconds: number) => ({
  SVC_FEDERATION_ENABLED: 'true',
  SVC_FEDERATION_INSECURE: 'true',
  SVC_FEDERATION_PULL_INTERVAL_S: String(pullSeconds),
  SVC_NODE_ID: nodeId,
  SVC_NODE_PRIVATE_KEY: seed,
});

/** Returns the cell texts of the row of a scope in a table, or no texts without such a row. */
const cellsOf = (page: Page, table: string, scope: string): Promise<readonly string[]> =>
  page.getByRole('table', { name: table }).locator(`tr:has(.tag:text-is("${scope}")) td`).allTextContents();

if (isBrowserInstalled()) {
  describe('an active peering in the console', function () {
    this.timeout(180_000);
    const here = createPeerIdentity('svc://here.test', Date.now);
    const there = createPeerIdentity('svc://there.test', Date.now);
    let console: ConsoleBrowser;
    let other: ServedNode;
    before(async () => {
      console = await startConsoleBrowser(settingsOf(here, 1));
      // The interval is so long that the peer reads only once, when the peering begins.
      other = await startServedNode(settingsOf(there, 3_600));
    });
    afterEach(async () => {
      expect(await console.leave()).to.deep.equal([]);
    });
    after(async () => {
      await console?.stop();
      await other?.stop();
    });

    const say = async ({ ask }: ServedNode, scope: string, names: readonly string[]): Promise<void> => {
      for (const name of names) {
        const value = { type: 'string', v: name };
        const fact = { entity: 'user:of-both', relation: `memory:${name}`, value, source: 'agent:scribe', scope };
        expect((await ask('POST', '/v1/facts', { ...fact, confidence: 0.9 })).status).to.equal(201);
      }
    };
    /** Reopens the screen until the condition holds. */
    const comesUp = ({ open }: ConsolePage, address: string, holds: () => Promise<boolean>): Promise<void> =>
      comesTrue(async () => {
        await open(address);
        return holds();
      });
    const addressOfPeer = async (): Promise<string> => {
      const { body } = await console.served.ask('GET', '/v1/federation/peers');
      return `peers?peer=${body.peers[0].peer_id}`;
    };

    it('begins when both declarations are added, and is up to date when all facts were read', async () => {
      await say(other, 'public', ['one', 'two', 'three']);
      const post = (node: ServedNode, declaration: object) => node.ask('POST', '/v1/federation/peers', declaration);
      await post(other, there.declare(here.nodeId, SCOPES));
      const visit = await console.enter(console.served.adminKey);
      const { page, open, seriousFindings } = visit;
      await open('peers');
      for (const [declaration, told] of [
        [here.declare(there.nodeId, SCOPES), 'The declaration is on file.'],
        [there.declare(here.nodeId, { ...SCOPES, node_url: other.url }), 'the peering is active'],
      ] as const) {
        await press(page, 'Add a declaration');
        await fillIn(page.getByRole('dialog', {}), { Declaration: JSON.stringify(declaration) });
        await press(page.getByRole('dialog', {}), 'Add a declaration');
        await isTold(page, told);
      }
      // Added last, so that the only read of the peer finds a peering here.
      await post(other, here.declare(there.nodeId, { ...SCOPES, node_url: console.served.url }));
      const peer = await addressOfPeer();
      const isRead = async (scope: string) => (await cellsOf(page, INBOUND, scope))[1] === '0';
      // The node reads one scope after the other, and knows no lag of a scope that it has not read yet.
      await comesUp(visit, peer, async () => (await isRead('company')) && (await isRead('public')));
      await page.getByText('Facts that came today: 3.').waitFor();
      expect(await seriousFindings()).to.deep.equal([]);
      await open('peers');
      await page.getByRole('table', { name: 'Peers' }).getByText('up to date').waitFor();
    });

    it('shows the lag of the peer scope by scope, and the highest lag in the list', async () => {
      const visit = await console.visit(console.served.adminKey);
      const peer = await addressOfPeer();
      await comesUp(visit, peer, async () => (await cellsOf(visit.page, OUTBOUND, 'public')).length > 0);
      await say(console.served, 'public', ['four']);
      await say(console.served, 'company', ['five', 'six']);
      await visit.open(peer);
      const behind = async (scope: string) => (await cellsOf(visit.page, OUTBOUND, scope))[1];
      expect([await behind('public'), await behind('company')]).to.deep.equal(['1', '2']);
      await visit.open('peers');
      await visit.page.getByRole('table', { name: 'Peers' }).getByText('2 facts behind').waitFor();
    });

    it('shows an error when the other node is down, and can still be ended', async () => {
      await other.stop();
      const visit = await console.visit(console.served.adminKey);
      const { page } = visit;
      await comesUp(visit, 'peers', async () => (await page.getByText('failing', { exact: true }).count()) === 1);
      // The node reads one scope after the other, and a failure of the first one is enough for the list.
      const failures = async () => /\d+ failures?/.test((await cellsOf(page, INBOUND, 'public')).join(' '));
      await comesUp(visit, await addressOfPeer(), failures);
      await sendForm(page, { opener: 'End peering', title: `End the exchange with ${there.nodeId}` });
      await page.getByRole('heading', { name: 'Peers', exact: true }).waitFor();
      const { body } = await console.served.ask('GET', '/v1/federation/peers');
      expect(body.peers.map(({ status }: { status: string }) => status)).to.deep.equal(['revoked']);
    });
  });
}
