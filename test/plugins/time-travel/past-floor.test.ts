import { expect } from 'chai';
import { lastStampOf } from '../../../kernel/internal-api.ts';
import { FactStore } from '../../../ports/ports.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { factBody } from '../facts/fact-bodies.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

forEachStore('the earliest moment that can still be read', () => {
  let node: TestNode;
  let key: string;
  afterEach(() => node.stop());

  const start = async (days: string) => {
    const env = { SVC_TIME_TRAVEL_RETENTION_DAYS: days };
    node = await startTestNode({ plugins: ['facts', 'conflicts', 'time-travel'], env });
    key = await node.addKey();
  };
  const say = async (v: string) => {
    const body = factBody({ value: { type: 'string', v } });
    expect((await node.request('POST', '/v1/facts', { key, body })).status).to.equal(201);
    await node.clock.advance(1000);
    return new Date(node.clock.nowMs()).toISOString();
  };
  const asOf = (moment: string) => node.request('GET', `/v1/facts?as_of=${moment}`, { key });
  const shown = async (moment: string) =>
    (await asOf(moment)).body.facts.map(({ value }: { value: { v: string } }) => value.v);
  const pastRows = async (): Promise<number> => {
    const table = node.kernel.get(FactStore).table('conflicts_past_wins');
    const [row] = (await table.count({ rows: '*' })) as { rows: number | string }[];
    return Number(row?.rows);
  };

  it('advances with the configured number of days, and older rows are deleted', async () => {
    await start('30');
    await say('a');
    const second = await say('b');
    await node.clock.advance(1000);
    await say('c');
    await node.clock.advance(20 * DAY_MS);
    const later = await say('d');
    expect(await shown(second)).to.deep.equal(['b']);
    expect(await pastRows()).to.equal(2);
    await node.clock.advance(15 * DAY_MS);
    await comesTrue(async () => {
      await node.clock.advance(HOUR_MS);
      return (await asOf(second)).status === 400;
    });
    const { body } = await asOf(second);
    expect(body.code).to.equal('as_of_before_floor');
    expect(body.floor).to.be.a('string');
    expect(await shown(later)).to.deep.equal(['d']);
    expect(await shown(body.floor)).to.deep.equal(['c']);
    await comesTrue(async () => (await pastRows()) === 1);
  });

  it('does not change while everything is retained', async () => {
    await start('0');
    const first = await say('a');
    await node.clock.advance(1000);
    await say('b');
    await say('c');
    await node.clock.advance(100 * DAY_MS);
    expect(await shown(first)).to.deep.equal(['a']);
    expect(await pastRows()).to.equal(1);
  });

  it('never moves back', async () => {
    await start('0');
    const first = await say('a');
    await node.clock.advance(1000);
    await node.kernel.get(FactStore).write('default', (tx) => tx.raisePastFloor(lastStampOf(node.clock.nowMs())));
    const { status, body } = await asOf(first);
    expect([status, body.code]).to.deep.equal([400, 'as_of_before_floor']);
  });
});
