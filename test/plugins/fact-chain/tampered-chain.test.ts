import { expect } from 'chai';
import { FactChain } from '../../../plugins/fact-chain/fact-chain-api.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { rejection } from '../../kit/rejection.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { tamper } from '../../kit/tamper.ts';
import { assertFacts, auditorOf, CHAINED, eraseFacts, prove, storedFacts } from './chain-node.ts';

const ZEROS = '0'.repeat(64);

forEachStore('the proof of a chain that was tampered with', (store) => {
  let node: TestNode;
  let ids: string[];
  beforeEach(async () => {
    node = await startTestNode({ plugins: CHAINED });
    ids = await assertFacts(node, await node.addKey(), ['one', 'two', 'three']);
  });
  afterEach(() => node.stop());

  const bytes = (hex: string): string => (store === 'postgres' ? `'\\x${hex}'::bytea` : `x'${hex}'`);
  const ofFact = (seq: number): string => `WHERE id = '${ids[seq - 1]}'`;
  const refused = async (seq: number, reason: string, factId = ids[seq - 1]) => {
    const error = await rejection(prove(node));
    expect(error).to.include({ status: 409, code: 'fact_chain_mismatch' });
    expect((error as { members?: object }).members).to.deep.equal({
      mismatch_reason: reason,
      chain_seq: seq,
      fact_id: factId,
    });
  };

  for (const change of [
    `value_v = 'changed'`,
    `value_type = 'text'`,
    `value_type = 'number'`,
    `interpret_as = 'instruction'`,
    'confidence = 0.25',
    `entity_key = 'user:other'`,
    `entity = 'user:other'`,
    `relation = 'memory:other'`,
    `scope = 'public'`,
    `source = 'agent:other'`,
  ]) {
    it(`is refused after a change of a fact: ${change}`, async () => {
      await tamper(node, `UPDATE facts SET ${change} ${ofFact(2)}`);
      await refused(2, 'a fact was changed');
    });
  }

  for (const [what, change] of [
    ['its hash', `link_hash = ${bytes(ZEROS)}`],
    ['its salt', `salt = ${bytes(ZEROS.slice(32))}`],
    ['its salt, which is gone', 'salt = NULL'],
    ['when its fact was stored', 'feed_wall = feed_wall - 1'],
    ['when its fact was stored, at no time', 'feed_wall = 999999999999999'],
  ] as const) {
    it(`is refused with a wrong link: ${what}`, async () => {
      await tamper(node, `UPDATE facts SET ${change} ${ofFact(2)}`);
      await refused(2, 'a link does not fit its fact');
    });
  }

  it('still covers later facts after an unlinked fact was changed to invalid data', async () => {
    await tamper(
      node,
      `UPDATE facts SET value_type = 'number', link_seq = NULL, link_hash = NULL ${ofFact(3)};
       UPDATE ledgers SET linked_number = 2, link_seq = 2, link_hash = (SELECT link_hash FROM facts WHERE link_seq = 2)`,
    );
    await assertFacts(node, await node.addKey(), ['four'], 'user:late');
    expect(await prove(node)).to.include({ checked_entries: 4 });
  });

  it('is refused without one of its links', async () => {
    await tamper(node, `UPDATE facts SET link_seq = NULL, link_hash = NULL ${ofFact(2)}`);
    await refused(2, 'a link is missing');
  });

  it('is refused after a link was moved', async () => {
    await tamper(node, `UPDATE facts SET link_seq = 7 ${ofFact(2)}`);
    await refused(7, 'a link is missing', ids[1]);
  });

  it('is refused without one of its facts and its link', async () => {
    await tamper(node, `DELETE FROM facts ${ofFact(2)}`);
    await refused(3, 'a link is missing');
  });

  it('is refused without its newest facts', async () => {
    await tamper(node, `DELETE FROM facts ${ofFact(3)}`);
    const error = await rejection(prove(node));
    expect((error as { members?: object }).members).to.deep.equal({
      mismatch_reason: 'a fact is missing',
      chain_seq: 3,
      fact_id: null,
    });
  });

  it('is refused if all facts of the chain are gone, even if they were verified before', async () => {
    await prove(node);
    await tamper(node, 'DELETE FROM facts; DELETE FROM ledgers');
    expect(await rejection(prove(node))).to.include({ code: 'fact_chain_mismatch' });
  });

  it('is refused if an erased fact has a value again, or another commitment', async () => {
    await eraseFacts(node, ids.slice(1, 2));
    await tamper(node, `UPDATE facts SET value_v = 'forged' ${ofFact(2)}`);
    await refused(2, 'a link does not fit its fact');
    await tamper(node, `UPDATE facts SET value_v = NULL ${ofFact(2)}`);
    expect(await prove(node)).to.include({ checked_entries: 3 });
  });

  it('is refused if a value was made to look erased with another commitment', async () => {
    const erasure = `value_v = NULL, value_key = '', cid = NULL, salt = NULL, commitment = ${bytes(ZEROS)}`;
    await tamper(node, `UPDATE facts SET ${erasure} ${ofFact(2)}`);
    await refused(2, 'a link does not fit its fact');
  });

  it('is refused for a shown fact that was changed, however long ago it was verified', async () => {
    await prove(node);
    const shown = await storedFacts(node);
    await prove(node, 'default', shown);
    for (const fact of shown) {
      const chain = node.kernel.get(FactChain);
      expect(await rejection(chain.prove(auditorOf(), [{ ...fact, source: 'agent:other' }]))).to.include({
        code: 'fact_chain_mismatch',
      });
    }
    await tamper(node, `UPDATE facts SET value_v = 'changed' ${ofFact(2)}`);
    expect(await prove(node, 'default', shown)).to.include({ checked_entries: 3 });
    expect(await rejection(prove(node, 'default', await storedFacts(node)))).to.include({
      code: 'fact_chain_mismatch',
    });
  });
});
