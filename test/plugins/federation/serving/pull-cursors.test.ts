import { expect } from 'chai';
import { formatHlc, parseHlc } from '../../../../kernel/internal-api.ts';
import { forEachStore } from '../../../kit/for-each-store.ts';
import { idsOf, pull, say, servingNodes } from './pull-kit.ts';

forEachStore('the cursor of a pull', () => {
  const start = servingNodes();

  it('continues page by page without skipping a fact', async () => {
    const node = await start();
    const peer = node.addPeer('p');
    const ids: string[] = [];
    for (let at = 0; at < 11; at += 1) {
      ids.push((await say(node)).id);
      await say(node, { scope: 'local' });
    }
    const found: string[] = [];
    let cursor = '';
    for (let page = 0; page < 4; page += 1) {
      const reply = await pull(node, peer, `limit=3${cursor}`);
      found.push(...idsOf(reply));
      expect(reply.headers['svc-remaining']).to.equal(page < 3 ? String(11 - 3 * (page + 1)) : undefined);
      expect(reply.body.has_more).to.equal(page < 3);
      cursor = `&since_hlc=${reply.body.cursor}`;
    }
    expect(found).to.deep.equal(ids);
    const idle = await pull(node, peer, `limit=3${cursor}`);
    expect(idle.body).to.deep.include({ facts: [], has_more: false, cursor: cursor.slice('&since_hlc='.length) });
  });

  it('is null on a node without facts, and is never later than the newest fact', async () => {
    const node = await start();
    const peer = node.addPeer('p');
    expect((await pull(node, peer)).body).to.deep.include({ facts: [], cursor: null, has_more: false });
    expect((await pull(node, peer, 'since_hlc=1772442904120.0')).body.cursor).to.equal(null);
    const { hlc } = await say(node, { scope: 'local' });
    expect((await pull(node, peer)).body).to.deep.include({ facts: [], cursor: hlc, has_more: false });
    for (const beyond of ['999999999999999.2147483647', `${(parseHlc(hlc)?.wallMs ?? 0) + 1}.0`]) {
      expect((await pull(node, peer, `cursor=${beyond}`)).body).to.deep.include({ facts: [], cursor: hlc });
    }
  });

  it('may start at any valid stamp', async () => {
    const node = await start();
    const peer = node.addPeer('p');
    const { id, hlc } = await say(node);
    for (const before of ['0.0', '1.2147483647', '000000000000001.0000000000']) {
      expect(idsOf(await pull(node, peer, `since_hlc=${before}`)), before).to.deep.equal([id]);
    }
    const padded = formatHlc(parseHlc(hlc) ?? { wallMs: 0, counter: 0 }).replace('.', '.000');
    expect((await pull(node, peer, `cursor=${padded}&since_hlc=0.0`)).body).to.deep.include({ facts: [], cursor: hlc });
  });

  for (const bad of [
    '',
    '1',
    '1.2.3',
    '-1.0',
    '1e3.0',
    '%201.0',
    '99999999999999999999.0',
    '1.4294967296',
    '%EF%BC%91.0',
  ]) {
    it(`is refused with the cursor "${bad}"`, async () => {
      const node = await start();
      const reply = await pull(node, node.addPeer('p'), `since_hlc=${bad}`);
      expect([reply.status, reply.body.code]).to.deep.equal([400, 'invalid_cursor']);
    });
  }
});
