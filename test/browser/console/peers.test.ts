import { expect } from 'chai';
import { createPeerIdentity } from '../../kit/federation/peer-identity.ts';
import { describeConsole } from './describe-console.ts';
import { dialog, fillIn, isTold, press, sendForm } from './reader-steps.ts';

const NODE_ID = 'svc://here.test';
const PEER_ID = 'svc://there.test';

const here = createPeerIdentity(NODE_ID, Date.now);

describeConsole(
  'peers in the console',
  {
    env: {
      SVC_FEDERATION_ENABLED: 'true',
      SVC_FEDERATION_INSECURE: 'true',
      SVC_NODE_ID: NODE_ID,
      SVC_NODE_PRIVATE_KEY: here.seed,
    },
  },
  (running) => {
    const peers = async () => (await running().served.ask('GET', '/v1/federation/peers')).body.peers;

    it('are added by a signed declaration, and ended', async () => {
      const { page, open } = await running().enter(running().served.adminKey);
      await open('peers');
      await press(page, 'Add a declaration');
      const form = await dialog(page, 'Add a declaration');
      await fillIn(form, { Declaration: 'not JSON' });
      await press(form, 'Add a declaration');
      expect(await peers()).to.deep.equal([]);
      await fillIn(form, { Declaration: JSON.stringify(here.declare(PEER_ID)) });
      await press(form, 'Add a declaration');
      await isTold(page, 'The declaration is on file.');
      const [peer] = await peers();
      expect(peer).to.include({ node_id: PEER_ID, status: 'pending_verification' });
      await page.getByRole('link', { name: PEER_ID }).click();
      await page.getByText('This node declares').first().waitFor();
      await sendForm(page, { opener: 'End peering', title: `End the exchange with ${PEER_ID}` });
      await page.getByRole('heading', { name: 'Peers', exact: true }).waitFor();
      expect((await peers()).filter(({ status }: { status: string }) => status !== 'revoked')).to.deep.equal([]);
    });

    it('are refused for an invalid signature, with a message in the dialog', async () => {
      const before = await peers();
      const { page, open } = await running().enter(running().served.adminKey);
      await open('peers');
      const forged = { ...here.declare('svc://elsewhere.test'), allowed_scopes: ['company'] };
      await press(page, 'Add a declaration');
      const form = await dialog(page, 'Add a declaration');
      await fillIn(form, { Declaration: JSON.stringify(forged) });
      await press(form, 'Add a declaration');
      await form.getByRole('alert').waitFor();
      expect(await peers()).to.deep.equal(before);
    });
  },
);
