import { expect } from 'chai';
import { assertion, type GardenNode } from './garden-kit.ts';

/** Stores fifty facts of every kind in a garden, related to facts that a stranger sees but hidden from the stranger. */
export const hideFacts = async (
  garden: Pick<GardenNode, 'ask' | 'must'>,
  seen: readonly { id: string; cid: string }[],
): Promise<number> => {
  const ids: string[] = [];
  const hide = async (members: Readonly<Record<string, unknown>>, headers: Record<string, string> = {}) => {
    const body = assertion({ garden_id: 'herbs', ...members });
    const reply = await garden.ask('writer', 'POST', '/v1/facts', { body, headers });
    expect(reply.status, reply.text).to.equal(201);
    ids.push(reply.body.id);
    return reply.body as { id: string; cid: string };
  };
  const text = (v: string, type = 'text') => ({ type, v });
  const VALUES = [
    text('a hidden word: lavender', 'string'),
    text('lavender lavender harbour lantern'.repeat(20)),
    { type: 'number', v: 7 },
    { type: 'boolean', v: true },
    { type: 'datetime', v: '2026-03-02T10:00:00Z' },
    { type: 'ref', v: 'user:bob' },
    { type: 'null' },
  ];
  // Adds facts of every value type, on a visible and on a hidden entity.
  for (const entity of ['user:alice', 'user:hidden']) {
    for (const value of VALUES) await hide({ entity, relation: `memory:${value.type}`, value });
  }
  // Adds facts that contradict or repeat visible facts, with higher and lower confidence.
  for (const confidence of [1, 0.3]) {
    for (const v of ['archivist', 'harbour master', 'gardener']) {
      await hide({ entity: 'user:alice', relation: 'memory:role', value: text(v, 'string'), confidence });
    }
  }
  // Retracts visible facts for callers who can see both.
  await hide({ entity: 'user:alice', relation: 'memory:home', confidence: 0 });
  await hide({ entity: 'user:bob', relation: 'memory:role', confidence: 0 });
  // Adds edges between visible entities, some of them through a hidden entity.
  for (const [from, to] of [
    ['user:alice', 'user:dora'],
    ['user:dora', 'user:bob'],
    ['user:hidden', 'user:alice'],
    ['user:bob', 'user:hidden'],
    ['user:carol', 'user:alice'],
    ['user:alice', 'user:carol'],
  ]) {
    await hide({ entity: from, relation: 'rel:knows', value: { type: 'ref', v: to } });
  }
  // Adds facts derived from visible facts, in the same session.
  for (const { id, cid } of seen.slice(0, 5)) {
    await hide({ entity: 'doc:sum', relation: 'memory:sum', value: text(`lantern ${id}`), derived_from: [cid] });
    await hide({ relation: 'memory:note', value: text('quiet lantern') }, { 'Svc-Session': 'voyage' });
  }
  // Adds facts that have low confidence, expire soon, end by a time-to-live, or end by a resolution.
  await hide({ relation: 'memory:note', value: text('unsure lantern'), confidence: 0.05 });
  await hide({ relation: 'memory:note', value: text('brief lantern'), valid_until: '2026-03-02T09:00:01Z' });
  const ended = await hide({ entity: 'user:erin', relation: 'memory:note', value: text('ended lantern') });
  const value = { type: 'datetime', v: '2026-03-02T00:00:00Z' };
  await hide({ entity: ended.id, relation: 'svc:ttl', value, garden_id: undefined });
  const inner = await garden.must(200, 'writer', 'GET', '/v1/conflicts');
  for (const { conflict_id: id, members } of inner.body.conflicts) {
    if (!members.some((member: string) => ids.includes(member))) continue;
    const body = { new_value: text('settled in here', 'string') };
    const reply = await garden.ask('writer', 'POST', `/v1/conflicts/${id}/resolve`, { body });
    // A resolution may end several facts, so a later one can reply with 409.
    expect([200, 409]).to.include(reply.status);
  }
  for (let more = ids.length; more < 50; more += 1) {
    await hide({ entity: `user:more-${more}`, relation: 'memory:note', value: text(`lavender ${more}`) });
  }
  // Authorized callers read, aggregate and recall the hidden facts, to cover side effects of reading.
  for (let turn = 0; turn < 12; turn += 1) {
    const body = { query: 'lavender lantern', token_budget: 4_000, scope: 'garden:herbs' };
    await garden.must(200, 'reader', 'POST', '/v1/recall', body);
  }
  for (const entity of ['user:alice', 'user:hidden']) {
    await garden.must(200, 'reader', 'GET', `/v1/cards/${entity}?scope=company&refresh=true`);
  }
  return ids.length;
};
