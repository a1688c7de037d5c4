import type { PatientTarget } from '../../kernel/command-api.ts';
import { parseInstant } from '../../kernel/plugin-api.ts';
import { type DraftChunk, linesOf, onlyKept } from './draft-chunks.ts';
import { member } from './origin-values.ts';

/**
 * Removes facts that the node has and that have ended. The node recognises a repeated assertion only while its fact is
 * live, so otherwise each run would store another copy of an expired fact.
 */
export const storedBefore = async ({ server, clock }: PatientTarget, chunk: DraftChunk): Promise<DraftChunk> => {
  const nowMs = clock.nowMs();
  const lines = linesOf(chunk.body);
  const keep: boolean[] = [];
  for (const [at, draft] of chunk.drafts.entries()) {
    const endsMs = draft.validUntil === undefined ? null : parseInstant(draft.validUntil);
    keep.push(endsMs === null || endsMs > nowMs || !(await isThere(server, lines[at] ?? '')));
  }
  return keep.every((kept) => kept) ? chunk : onlyKept(chunk, lines, keep);
};

const MEMBERS = ['entity', 'relation', 'source', 'scope'] as const;

/** Returns true if the node has the fact. Returns false without the permission to read, so that the fact is sent. */
const isThere = async (server: PatientTarget['server'], line: string): Promise<boolean> => {
  const fact: unknown = JSON.parse(line);
  const query = new URLSearchParams(Object.fromEntries(MEMBERS.map((name) => [name, String(member(fact, name))])));
  query.set('include_expired', 'true');
  query.set('include_contradicted', 'true');
  query.set('limit', '100');
  const { status, document } = await server.send({ method: 'GET', path: `/v1/facts?${query}` });
  const facts = status === 200 ? document['facts'] : undefined;
  return Array.isArray(facts) && facts.some((one) => isSame(one, fact));
};

const isSame = (stored: unknown, sent: unknown): boolean =>
  member(stored, 'valid_from') === member(sent, 'valid_from') &&
  member(stored, 'valid_until') === member(sent, 'valid_until') &&
  member(stored, 'confidence') === member(sent, 'confidence') &&
  member(member(stored, 'value'), 'type') === member(member(sent, 'value'), 'type') &&
  member(member(stored, 'value'), 'v') === member(member(sent, 'value'), 'v');
