import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { hostileRequests, rightRequest } from './hostile-requests.ts';
import { judgeReply } from './judge-reply.ts';
import { type NodeUnderAttack, startNodeUnderAttack } from './node-under-attack.ts';
import { exchange } from './raw-exchange.ts';
import { ROUTE_ROWS } from './route-rows.ts';

const SHOWN = 20;

forEachStore('Bad input', () => {
  let node: NodeUnderAttack;

  before(async () => {
    node = await startNodeUnderAttack();
  });

  after(() => node?.stop());

  it('is tested on every registered route', () => {
    expect(ROUTE_ROWS.map(({ route }) => route).sort()).to.deep.equal([...node.routes].sort());
  });

  for (const row of ROUTE_ROWS) {
    it(`is refused by ${row.route} with a problem document, and stores nothing`, async () => {
      const parts = { row, fixtures: node.fixtures, keys: node.keys, registered: new Set(node.routes) };
      const faults: string[] = [];
      let before = await node.counts();
      for (const hostile of hostileRequests(parts)) {
        const reply = await exchange(node.port, hostile.request).catch((error: Error) => error);
        if (reply instanceof Error) {
          faults.push(`${hostile.name}: ${reply.message}`);
          continue;
        }
        const after = await node.counts();
        const found = judgeReply(hostile, reply, node.errorCodes);
        if (hostile.expect !== 'harmless' && JSON.stringify(after) !== JSON.stringify(before)) {
          found.push(`changed ${JSON.stringify(before)} to ${JSON.stringify(after)}`);
        }
        before = after;
        faults.push(...found.map((fault) => `${hostile.name}: ${fault} (${reply.status} ${reply.text.slice(0, 160)})`));
      }
      expect(faults.slice(0, SHOWN), `${faults.length} faults`).to.deep.equal([]);
    });
  }

  it('leaves no secret and no bug in the log', () => {
    const log = JSON.stringify(node.logLines);
    const secrets = [node.keys.all, ...node.keys.only.values(), 'must-never-come-back'];
    expect(secrets.filter((secret) => log.includes(secret))).to.deep.equal([]);
    expect(node.logLines.filter(({ level }) => level === 'error')).to.deep.equal([]);
  });

  for (const row of ROUTE_ROWS) {
    it(`leaves ${row.route} usable`, async () => {
      const { status, text } = await exchange(
        node.port,
        rightRequest({ row, fixtures: node.fixtures, keys: node.keys }),
      );
      const isSpent = status === 409;
      expect(isSpent ? row.accepts : status, text.slice(0, 300)).to.equal(row.accepts);
    });
  }
});
