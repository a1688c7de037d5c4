import { expect } from 'chai';
import { FAULT_KINDS, type FaultKind } from '../fakes/faulting-store.ts';
import type { TestReply } from '../kit/test-request.ts';
import { ALL_FAULT_KINDS, SEED } from './crash-counts.ts';
import { type FailingNode, type RowCounts, startFailingNode } from './failing-node.ts';
import { IDEMPOTENT_FLOW, type Send, WRITE_FLOWS, type WriteFlow } from './write-flows.ts';

/** An upper bound on store calls of one flow, which stops a faulty loop. */
const MOST_CALLS = 300;

const isSuccess = ({ status }: TestReply): boolean => status >= 200 && status < 300;

const sendAll = (node: FailingNode, sends: readonly Send[]): Promise<TestReply[]> =>
  Promise.all(sends.map((send) => send(node)));

/** Returns the number of added rows by table. */
const growth = (before: RowCounts, after: RowCounts): Record<string, number> => {
  const grown: Record<string, number> = {};
  for (const [table, count] of Object.entries(after)) {
    const difference = count - (before[table] ?? 0);
    if (difference !== 0) grown[table] = difference;
  }
  return grown;
};

const times = (counts: Readonly<Record<string, number>>, share: number): Record<string, number> =>
  Object.fromEntries(
    Object.entries(counts)
      .map(([table, count]) => [table, count * share] as const)
      .filter(([, count]) => count !== 0),
  );

const expectUnavailable = ({ status, headers, body }: TestReply, where: string): void => {
  expect(status, where).to.equal(503);
  expect(headers['content-type'], where).to.equal('application/problem+json');
  expect(body.code, where).to.equal('unavailable');
  expect(body.detail, where).to.be.a('string');
};

for (const [layout, writer] of (['inline', 'thread'] as const).entries()) {
  describe(`A failing store, written ${writer}`, function () {
    this.timeout(300_000);
    let node: FailingNode;
    let attempt = 0;

    before(async () => {
      node = await startFailingNode(writer);
    });

    after(() => node?.stop());

    const fresh = async (flow: WriteFlow): Promise<readonly Send[]> => {
      attempt += 1;
      const sends = await flow.prepare(node, attempt);
      await node.letTimePass();
      return sends;
    };

    /** Returns the number of rows that an undisturbed run of the flow adds. */
    const usualGrowth = async (flow: WriteFlow): Promise<Record<string, number>> => {
      const sends = await fresh(flow);
      const before = await node.counts();
      const replies = await sendAll(node, sends);
      expect(replies.filter(isSuccess), JSON.stringify(replies.map(({ body }) => body))).to.have.lengthOf(sends.length);
      return growth(before, await node.counts());
    };

    /** Makes the store call of this number fail. Returns whether the flow made so many calls. */
    const tryCall = async (
      flow: WriteFlow,
      call: number,
      kind: FaultKind,
      usual: Record<string, number>,
    ): Promise<boolean> => {
      const where = `${kind} at call ${call}`;
      const sends = await fresh(flow);
      const before = await node.counts();
      node.plan.arm(call, kind);
      const replies = await sendAll(node, sends);
      const { fired } = node.plan;
      node.plan.disarm();
      const done = replies.filter(isSuccess);
      for (const reply of replies) if (!isSuccess(reply)) expectUnavailable(reply, where);
      if (!fired) expect(done, where).to.have.lengthOf(sends.length);
      expect(growth(before, await node.counts()), where).to.deep.equal(times(usual, done.length / sends.length));
      const failed = sends.filter((_, at) => !isSuccess(replies[at] as TestReply));
      const repeated = await sendAll(node, failed);
      expect(repeated.filter(isSuccess), `${where}, repeated`).to.have.lengthOf(failed.length);
      expect(growth(before, await node.counts()), `${where}, repeated`).to.deep.equal(usual);
      return fired;
    };

    for (const [place, flow] of WRITE_FLOWS.entries()) {
      it(`replies 503 to ${flow.name} and stores nothing for any failing call, and accepts the repetition`, async () => {
        const usual = await usualGrowth(flow);
        // Each layout of the usual run tries every second call, and the other layout the rest.
        const step = ALL_FAULT_KINDS ? 1 : 2;
        for (let call = 1 + ((SEED + layout) % step); call <= MOST_CALLS; call += step) {
          const turn = FAULT_KINDS[(SEED + place + call) % FAULT_KINDS.length] as FaultKind;
          const kinds = ALL_FAULT_KINDS ? FAULT_KINDS : [turn];
          let fired = false;
          for (const kind of kinds) fired = (await tryCall(flow, call, kind, usual)) || fired;
          if (!fired) {
            expect(call, 'calls that failed').to.be.above(2);
            return;
          }
        }
        expect.fail(`the flow made more than ${MOST_CALLS} calls`);
      });
    }

    it('reports when the commit may have happened, and a repetition with the same Idempotency-Key finds the fact', async () => {
      const usual = await usualGrowth(IDEMPOTENT_FLOW);
      const sends = await fresh(IDEMPOTENT_FLOW);
      const before = await node.counts();
      node.plan.armLostCommit();
      const [lost] = await sendAll(node, sends);
      node.plan.disarm();
      expect(lost?.status).to.equal(503);
      expect(lost?.body.code).to.equal('commit_unknown');
      const [repeated] = await sendAll(node, sends);
      expect(repeated?.status).to.equal(201);
      expect(repeated?.headers['idempotency-replayed']).to.equal('true');
      expect(growth(before, await node.counts())).to.deep.equal(usual);
    });

    it('leaves the node healthy, and no bug in its log', async () => {
      expect((await node.send('GET', '/healthz')).status).to.equal(200);
      expect(node.logLines.filter(({ level }) => level === 'error')).to.deep.equal([]);
    });
  });
}
