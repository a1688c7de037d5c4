import { expect } from 'chai';
import type { Told } from '../../kit/sweep/sweep-hidden-facts.ts';
import { assertion, type GardenNode } from '../gardens/garden-kit.ts';

const text = (v: string, type = 'text') => ({ type, v });
const ref = (v: string) => ({ type: 'ref', v });

const VALUES = [
  text('a hidden word: lavender', 'string'),
  text('lavender lavender harbour lantern'.repeat(20)),
  { type: 'number', v: 7 },
  { type: 'boolean', v: true },
  { type: 'datetime', v: '2026-03-02T10:00:00Z' },
  ref('user:bob'),
  { type: 'null' },
];

/** Stores facts of every kind about two entities before, between and after the creation of their tombstones. */
export const hideByTombstones = async (garden: GardenNode, told: readonly Told[]): Promise<number> => {
  const ids: string[] = [];
  const hide = async (members: Readonly<Record<string, unknown>>, headers: Record<string, string> = {}) => {
    const reply = await garden.ask('writer', 'POST', '/v1/facts', { body: assertion(members), headers });
    expect(reply.status, reply.text).to.equal(201);
    ids.push(reply.body.id);
    return reply.body as { id: string; cid: string };
  };
  await tombstone(garden, { entity_uri: 'user:dora' });
  for (const entity of ['user:dora', 'user:hidden']) await hideEachKind(hide, entity, told);
  await resolveConflictsAmong(garden, ids);
  const ended = await hide({ entity: 'user:hidden', relation: 'memory:note', value: text('ended lantern') });
  const value = { type: 'datetime', v: '2026-03-02T00:00:00Z' };
  await hide({ entity: ended.id, relation: 'svc:ttl', value });
  for (let turn = 0; turn < 12; turn += 1) {
    await garden.must(200, 'reader', 'POST', '/v1/recall', { query: 'lavender lantern', token_budget: 4_000 });
  }
  for (const entity of ['user:dora', 'user:hidden']) {
    await garden.ask('reader', 'GET', `/v1/cards/${entity}?scope=company&refresh=true`);
  }
  await tombstone(garden, { entity_uri: 'USER:Hidden', scope: 'company', reason: 'asked for' });
  await hideEachKind(hide, 'user:Hidden', told);
  for (let more = ids.length; more < 50; more += 1) {
    await hide({ entity: 'user:dora', relation: 'memory:note', value: text(`lavender ${more}`) });
  }
  return ids.length;
};

type Hide = (
  members: Readonly<Record<string, unknown>>,
  headers?: Record<string, string>,
) => Promise<{ id: string; cid: string }>;

const hideEachKind = async (hide: Hide, entity: string, told: readonly Told[]): Promise<void> => {
  for (const value of VALUES) await hide({ entity, relation: `memory:${value.type}`, value });
  for (const v of ['archivist', 'harbour master', 'archivist']) {
    await hide({ entity, relation: 'memory:role', value: text(v, 'string'), confidence: 0.8 });
  }
  await hide({ entity, relation: 'memory:number', confidence: 0, value: { type: 'null' } });
  for (const to of ['user:alice', 'user:bob', 'user:carol', 'user:dora', 'user:hidden']) {
    await hide({ entity, relation: 'rel:knows', value: ref(to) });
  }
  for (const { id, cid } of told.slice(0, 3)) {
    await hide({ entity, relation: 'memory:sum', value: text(`lantern ${id}`), derived_from: [cid] });
    await hide({ entity, relation: 'memory:note', value: text('quiet lantern') }, { 'Svc-Session': 'voyage' });
  }
  await hide({ entity, relation: 'memory:note', value: text('unsure lantern'), confidence: 0.05 });
  await hide({ entity, relation: 'memory:note', value: text('brief'), valid_until: '2026-03-02T09:00:01Z' });
};

const tombstone = (garden: GardenNode, body: Readonly<Record<string, unknown>>) =>
  garden.must(201, 'operator', 'POST', '/v1/tombstones', body);

const resolveConflictsAmong = async (garden: GardenNode, ids: readonly string[]): Promise<void> => {
  const { body } = await garden.must(200, 'writer', 'GET', '/v1/conflicts');
  const own = body.conflicts.filter(({ members }: { members: string[] }) => members.some((id) => ids.includes(id)));
  expect(own).not.to.have.lengthOf(0);
  for (const { conflict_id: id } of own.slice(0, -1)) {
    const settled = { new_value: text('settled in here', 'string') };
    const reply = await garden.ask('writer', 'POST', `/v1/conflicts/${id}/resolve`, { body: settled });
    expect([200, 409]).to.include(reply.status);
  }
};
