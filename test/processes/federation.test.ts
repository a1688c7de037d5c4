import { expect } from 'chai';
import {
  type FederatedProcess,
  type FederatedProcesses,
  startFederatedProcesses,
} from '../kit/federation/federated-processes.ts';
import { waitUntil } from '../kit/wait-until.ts';
import { FEDERATED_FACTS } from './process-counts.ts';

const CONTRADICTORY = FEDERATED_FACTS / 5;
const LIMIT_MS = 180_000;
const ALL = 'include_contradicted=true&include_retracted=true&include_expired=true';

interface ToldFact {
  readonly id: string;
  readonly entity: string;
  readonly contradicted: boolean;
}

/** Returns the facts of one side: those below `CONTRADICTORY` concern the same entities as facts of the other side. */
const factsOf = (side: string): readonly object[] =>
  Array.from({ length: FEDERATED_FACTS }, (_, n) => ({
    entity: n < CONTRADICTORY ? `thing:both-${n}` : `thing:${side}-${n}`,
    relation: 'memory:colour',
    value: { type: 'string', v: `${side} ${n}` },
    source: `agent:${side}`,
    scope: 'public',
    confidence: n % 2 === 0 ? 0.9 : 0.5,
  }));

const write = async ({ node }: FederatedProcess, facts: readonly object[]): Promise<void> => {
  const { body } = await node.request('POST', '/v1/facts/batch', facts);
  expect(body.accepted).to.equal(facts.length);
};

const totalOf = async ({ node }: FederatedProcess): Promise<number> =>
  (await node.request('GET', `/v1/facts?relation=memory:colour&limit=1&${ALL}`)).body.total;

/** Returns the facts of a plain query, page by page. */
const told = async ({ node }: FederatedProcess): Promise<readonly string[]> => {
  const facts: ToldFact[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const after: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const { body } = await node.request('GET', `/v1/facts?relation=memory:colour&limit=500${after}`);
    facts.push(...body.facts);
    cursor = body.cursor;
  }
  return facts.map(({ id, entity, contradicted }) => `${entity} ${id} ${contradicted}`);
};

const openConflicts = async ({ node }: FederatedProcess): Promise<readonly string[]> => {
  const entities: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const after: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const { body } = await node.request('GET', `/v1/conflicts?status=unresolved&limit=500${after}`);
    entities.push(...body.conflicts.map(({ fact_a }: { fact_a: ToldFact }) => fact_a.entity));
    cursor = body.cursor;
  }
  return entities.sort();
};

describe('Three node processes that federate, one of them on PostgreSQL', () => {
  let world: FederatedProcesses;
  before(async function () {
    this.timeout(300_000);
    world = await startFederatedProcesses(['sqlite', 'sqlite', 'postgres']);
    await world.peerAll();
  });
  after(async function () {
    this.timeout(300_000);
    await world?.stop();
  });

  it('agree after a partition, truncated pages, and the death of a pulling process (I8, I11, I12)', async function () {
    this.timeout(2 * LIMIT_MS);
    const [alone, puller, other] = world.nodes as [FederatedProcess, FederatedProcess, FederatedProcess];
    for (const link of world.linksOf(alone)) link.cut();
    const ofOthers = factsOf('others');
    // The writes run one after another, so that no two stamps are equal and each contradiction has one winner.
    await write(alone, factsOf('alone'));
    await write(puller, ofOthers.slice(0, FEDERATED_FACTS / 2));
    await write(other, ofOthers.slice(FEDERATED_FACTS / 2));
    await waitUntil('the two who still meet have the same facts', LIMIT_MS, async () =>
      (await Promise.all([puller, other].map(totalOf))).every((total) => total === FEDERATED_FACTS),
    );
    expect(await totalOf(alone)).to.equal(FEDERATED_FACTS);

    for (const link of world.linksOf(alone)) link.restore();
    world.link(puller, alone).truncateAnswers(3, 20_000);
    world.link(alone, other).delayAnswers(200);
    world.link(other, alone).cutAnswerTo('/v1/federation/facts');
    await waitUntil(
      'the one that will die has begun to pull',
      LIMIT_MS,
      async () => (await totalOf(puller)) > FEDERATED_FACTS,
    );
    await puller.killAndRestart();

    await waitUntil('all have all facts', LIMIT_MS, async () =>
      (await Promise.all(world.nodes.map(totalOf))).every((total) => total === 2 * FEDERATED_FACTS),
    );
    const answers = await Promise.all(world.nodes.map(told));
    expect(answers[0]).to.have.length(2 * FEDERATED_FACTS - CONTRADICTORY);
    expect(answers[1]).to.deep.equal(answers[0]);
    expect(answers[2]).to.deep.equal(answers[0]);
    const contradicted = Array.from({ length: CONTRADICTORY }, (_, n) => `thing:both-${n}`).sort();
    for (const node of world.nodes) expect(await openConflicts(node), node.name).to.deep.equal(contradicted);
  });
});
