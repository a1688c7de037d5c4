import type { PatientTarget } from '../../kernel/command-api.ts';
import { FIRST_INSTANT_MS, LAST_INSTANT_MS } from '../../kernel/internal-api.ts';
import { formatInstant, parseInstant } from '../../kernel/plugin-api.ts';
import { type DraftChunk, linesOf, onlyKept } from './draft-chunks.ts';
import { member } from './origin-values.ts';

/**
 * Returns the chunk without facts that the node has and that have ended. The node recognises a repeated assertion only
 * while its fact is live, so otherwise each run would store another copy of an expired fact.
 */
export const withoutStoredEnded = async ({ server, clock }: PatientTarget, chunk: DraftChunk): Promise<DraftChunk> => {
  const nowMs = clock.nowMs();
  const lines = linesOf(chunk.body);
  const keep: boolean[] = [];
  for (const [at, draft] of chunk.drafts.entries()) {
    const endsMs = draft.validUntil === undefined ? null : parseInstant(draft.validUntil);
    keep.push(endsMs === null || endsMs > nowMs || !(await isThere(server, lines[at] ?? '')));
  }
  return keep.every((kept) => kept) ? chunk : onlyKept(chunk, lines, keep);
};

/** Returns true if the node has the fact. Returns false without the permission to read, so that the fact is sent. */
const isThere = async (server: PatientTarget['server'], line: string): Promise<boolean> => {
  const fact: unknown = JSON.parse(line);
  const query = queryFor(fact);
  for (;;) {
    const { status, document } = await server.send({ method: 'GET', path: `/v1/facts?${query}` });
    if (status !== 200) return false;
    const { facts, cursor } = document;
    if (Array.isArray(facts) && facts.some((one) => isSame(one, fact))) return true;
    if (typeof cursor !== 'string') return false;
    query.set('cursor', cursor);
  }
};

const MEMBERS = ['entity', 'relation', 'source', 'scope', 'garden_id'] as const;

/** Returns the query for all facts of the triple in any state, narrowed to those that begin when the fact does. */
const queryFor = (fact: unknown): URLSearchParams => {
  const query = new URLSearchParams({ limit: '500', fields: 'value,confidence,valid_from,valid_until,garden_id' });
  for (const state of ['expired', 'retracted', 'contradicted']) query.set(`include_${state}`, 'true');
  for (const name of MEMBERS) {
    const value = member(fact, name);
    if (typeof value === 'string') query.set(name, value);
  }
  const beginsMs = parseInstant(String(member(fact, 'valid_from')));
  if (beginsMs !== null && beginsMs > FIRST_INSTANT_MS) query.set('after', formatInstant(beginsMs - 1));
  if (beginsMs !== null && beginsMs < LAST_INSTANT_MS) query.set('before', formatInstant(beginsMs + 1));
  return query;
};

const isSame = (stored: unknown, sent: unknown): boolean =>
  (member(stored, 'garden_id') == null) === (member(sent, 'garden_id') === undefined) &&
  member(stored, 'valid_from') === member(sent, 'valid_from') &&
  member(stored, 'valid_until') === member(sent, 'valid_until') &&
  member(stored, 'confidence') === member(sent, 'confidence') &&
  member(member(stored, 'value'), 'type') === member(member(sent, 'value'), 'type') &&
  member(member(stored, 'value'), 'v') === member(member(sent, 'value'), 'v');
