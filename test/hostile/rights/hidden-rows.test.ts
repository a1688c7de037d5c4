import { expect } from 'chai';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import { JobQueue } from '../../../plugins/jobs/jobs-api.ts';
import { createStoreCounter } from '../../fakes/counting-store.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import type { TestReply } from '../../kit/test-request.ts';
import { assertion, CAST, type GardenNode, startGardenNode } from '../../plugins/gardens/garden-kit.ts';

const LARGE = 900 * 1024;
/** An upper bound for reads of side tables, which hold identifiers and names of a hidden row, and no value. */
const SMALL = 4_000;
const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

/** Starts jobs with large results. */
let startJob: () => Promise<string>;
const largeJobs = defineOwnPlugin({
  name: 'large-jobs',
  summary: 'Jobs with large results',
  requires: { jobs: JobQueue },
  setup({ use: { jobs } }) {
    jobs.handle('large', { run: async () => ({ text: 'x'.repeat(LARGE) }) });
    startJob = () => jobs.enqueue({ type: 'large', tenantId: 'default', creator: CAST.founder });
  },
});

forEachStore('A stranger distinguishes hidden rows from unknown ones by the cost of the answer (I13)', () => {
  const counter = createStoreCounter();
  let garden: GardenNode;
  const hidden: Record<'fact' | 'cid' | 'held' | 'conflict' | 'winner' | 'job', string> = {
    fact: '',
    cid: '',
    held: '',
    conflict: '',
    winner: '',
    job: '',
  };
  let visibleConflict = '';

  before(async () => {
    garden = await startGardenNode({
      plugins: ['keys', 'audit', 'facts', 'gardens', 'conflicts', 'jobs', 'cards', largeJobs],
      wrapStore: (store) => counter.count(store),
    });
    const large = (letter: string) => ({ value: { type: 'text', v: letter.repeat(LARGE) } });
    const secret = await garden.say('writer', { garden_id: 'herbs', ...large('a') });
    const rival = await garden.say('writer', { garden_id: 'herbs', ...large('b') });
    await garden.must(201, 'founder', 'POST', '/v1/gardens', { slug: 'ward', name: 'Ward', quarantine: true });
    const held = await garden.say('founder', { garden_id: 'ward', entity: 'user:held', ...large('c') });
    for (const v of ['x', 'y']) await garden.say('stranger', { entity: 'user:open', value: { type: 'string', v } });
    const conflictOf = async (actor: 'writer' | 'stranger') =>
      (await garden.must(200, actor, 'GET', '/v1/conflicts')).body.conflicts[0].conflict_id;
    visibleConflict = await conflictOf('stranger');
    const { conflicts } = (await garden.must(200, 'writer', 'GET', '/v1/conflicts')).body;
    const inside = conflicts.find(({ members }: { members: string[] }) => members.includes(rival.id));
    const job = await startJob();
    await garden.node.clock.advance(5_000);
    await comesTrue(async () => (await garden.ask('founder', 'GET', `/v1/jobs/${job}`)).body.status === 'done');
    Object.assign(hidden, {
      fact: secret.id,
      cid: secret.cid,
      held: held.id,
      conflict: inside.conflict_id,
      winner: secret.id,
      job,
    });
  });
  after(() => garden.stop());

  type Ask = (id: string) => readonly [method: string, path: string, body?: unknown];
  // A repeated assertion gets a different answer, so each one is new.
  let fresh = 0;
  const assertWith = (members: Readonly<Record<string, unknown>>) =>
    ['POST', '/v1/facts', assertion({ scope: 'local', ...members })] as const;
  const ttl = { relation: 'svc:ttl', value: { type: 'datetime', v: '2090-01-01' } };
  const resolve = '/v1/conflicts';
  const unknownCid = `sha256:${'0'.repeat(64)}`;
  const WAYS: readonly (readonly [what: string, id: () => string, unknown: string, ask: Ask])[] = [
    ['a fact by id', () => hidden.fact, UNKNOWN_ID, (id) => ['GET', `/v1/facts/${id}`]],
    ['a fact by content id', () => hidden.cid, unknownCid, (id) => ['GET', `/v1/facts/${id}`]],
    ['its provenance', () => hidden.fact, UNKNOWN_ID, (id) => ['GET', `/v1/facts/${id}/provenance`]],
    ['its integrity', () => hidden.fact, UNKNOWN_ID, (id) => ['POST', `/v1/facts/${id}/verify-cid`, {}]],
    ['its audit rows', () => hidden.fact, UNKNOWN_ID, (id) => ['GET', `/v1/audit/facts/${id}`]],
    ['a time-to-live on it', () => hidden.fact, UNKNOWN_ID, (id) => assertWith({ entity: id, ...ttl })],
    [
      'a reference to it',
      () => hidden.fact,
      UNKNOWN_ID,
      (id) => assertWith({ entity: `user:fresh-${++fresh}`, derived_from: [{ fact_id: id }] }),
    ],
    [
      'a conflict',
      () => hidden.conflict,
      `svc:conflict:${UNKNOWN_ID}`,
      (id) => ['POST', `${resolve}/${id}/resolve`, { new_value: { type: 'string', v: 'z' } }],
    ],
    [
      'a winner of a conflict',
      () => hidden.winner,
      UNKNOWN_ID,
      (id) => ['POST', `${resolve}/${visibleConflict}/resolve`, { winning_fact_id: id }],
    ],
    ['a fact in quarantine', () => hidden.held, UNKNOWN_ID, (id) => ['POST', `/v1/quarantine/${id}/admit`, {}]],
    ['its refusal', () => hidden.held, UNKNOWN_ID, (id) => ['POST', `/v1/quarantine/${id}/reject`, {}]],
    ['a garden by slug', () => 'herbs', 'no-such', (id) => ['GET', `/v1/gardens/${id}`]],
    ['a garden by id', () => garden.gardenId, UNKNOWN_ID, (id) => ['GET', `/v1/gardens/${id}`]],
    ['its members', () => garden.gardenId, UNKNOWN_ID, (id) => ['GET', `/v1/gardens/${id}/members`]],
    ['facts of it', () => garden.gardenId, UNKNOWN_ID, (id) => ['GET', `/v1/facts?garden_id=${id}`]],
    ['an assertion into it', () => garden.gardenId, UNKNOWN_ID, (id) => assertWith({ garden_id: id })],
    ['a card', () => 'user:held', 'user:none', (id) => ['GET', `/v1/cards/${id}?scope=company`]],
    ['a job', () => hidden.job, UNKNOWN_ID, (id) => ['GET', `/v1/jobs/${id}`]],
    ['a job to cancel', () => hidden.job, UNKNOWN_ID, (id) => ['DELETE', `/v1/jobs/${id}`]],
    ['a job to resume', () => hidden.job, UNKNOWN_ID, (id) => ['POST', `/v1/jobs/${id}/resume`]],
  ];

  for (const [what, id, unknown, ask] of WAYS) {
    it(`${what}: hidden and unknown get the same answer, with the same statements, and no value is read`, async () => {
      const asked = async (named: string) => {
        const [method, path, body] = ask(named);
        let reply: TestReply | undefined;
        const request = { headers: { 'X-Request-Id': 'same' }, ...(body === undefined ? {} : { body }) };
        const counts = await counter.during(async () => {
          reply = await garden.ask('stranger', method, path, request);
        });
        return { counts, reply: reply as TestReply };
      };
      // A first request prepares the statements and caches the key.
      await asked(unknown);
      const none = await asked(unknown);
      const secret = await asked(id());
      expect(secret.reply.status).to.equal(none.reply.status);
      if (none.reply.status >= 400) {
        expect(secret.reply.text.replaceAll(id(), 'ID')).to.equal(none.reply.text.replaceAll(unknown, 'ID'));
      }
      expect(secret.counts.statements, 'statements').to.equal(none.counts.statements);
      expect(Math.abs(secret.counts.characters - none.counts.characters), 'characters read').to.be.below(SMALL);
    });
  }
});
