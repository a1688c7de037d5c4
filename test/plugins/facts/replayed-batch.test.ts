import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { CAST, type GardenNode, startGardenNode } from '../gardens/garden-kit.ts';
import { factBody, storedFacts } from './fact-bodies.ts';

forEachStore('a batch repeated under its Idempotency-Key', () => {
  let garden: GardenNode;

  beforeEach(async () => {
    garden = await startGardenNode({ plugins: ['gardens', 'keys', 'facts', 'audit', 'conflicts'] });
  });

  afterEach(() => garden.stop());

  const items = [
    factBody({ scope: 'public' }),
    factBody({ scope: 'company', garden_id: 'herbs', value: { type: 'string', v: 'of the garden' } }),
    factBody({ confidence: 7 }),
  ];
  const post = (key: string) =>
    garden.node.request('POST', '/v1/facts/batch', { key, body: items, headers: { 'Idempotency-Key': 'k1' } });
  const keyOf = (scopes: readonly ('public' | 'company')[]) => garden.node.addKey({ entityUri: CAST.writer, scopes });

  it('returns no fact of a garden to a caller who has left it', async () => {
    const key = await keyOf(['public', 'company']);
    const first = await post(key);
    expect(first.body).to.include({ accepted: 2, rejected: 1 });
    expect((await post(key)).text).to.equal(first.text);
    await garden.must(204, 'founder', 'DELETE', `/v1/gardens/herbs/members/${CAST.writer}`);
    const again = await post(key);
    expect([again.status, again.headers['idempotency-replayed']]).to.deep.equal([200, 'true']);
    expect(again.body).to.include({ accepted: 1, rejected: 2 });
    const [open, hidden, invalid] = again.body.results;
    expect([open, invalid]).to.deep.equal([first.body.results[0], first.body.results[2]]);
    expect(hidden).to.have.all.keys('index', 'status', 'error');
    expect([hidden.index, hidden.status, hidden.error.code]).to.deep.equal([1, 403, 'authorization']);
  });

  it('returns no fact of a scope that the key may not write, and all facts to a key that may', async () => {
    const wide = await keyOf(['public', 'company']);
    const first = await post(wide);
    const again = await post(await keyOf(['public']));
    expect(again.text).to.not.include('of the garden');
    expect(again.body.results.map(({ status }: { status: number }) => status)).to.deep.equal([201, 403, 422]);
    expect((await post(wide)).text).to.equal(first.text);
    expect(await storedFacts(garden.node)).to.equal(2);
  });
});
