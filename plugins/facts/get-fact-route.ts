import type { FactJson, Facts, ReadSession, Route } from '../../kernel/plugin-api.ts';
import { type FactPath, factPath, noSuchFact, readFactReference } from './fact-reference.ts';
import type { IntactFacts, SessionReads } from './facts-api.ts';

export interface GetFactParts {
  readonly facts: Facts;
  readonly factJson: FactJson;
  readonly intact: IntactFacts;
  readonly readSession: ReadSession;
  readonly sessionReads: SessionReads;
}

/**
 * GET /v1/facts/{id | sha256:<hex>} (wire contract 4.8): a fact in any state, the newest visible one for a content id.
 */
export const getFactRoute = (parts: GetFactParts): Route<FactPath> => ({
  method: 'GET',
  path: '/v1/facts/:id',
  summary: 'One fact, by id or content id',
  access: { permission: 'read' },
  dimension: 'fact_read',
  params: factPath,
  async handle(request) {
    const { facts, factJson, intact, readSession, sessionReads } = parts;
    const { caller, params } = request;
    const sessionId = readSession(request);
    const reference = readFactReference(params.id);
    const view = await facts.read(caller, 'get', (reader) =>
      'id' in reference ? reader.get(reference.id) : reader.newestByCid(reference.cid),
    );
    if (view === undefined) throw noSuchFact();
    intact.requireIntact(view);
    await sessionReads.returned(sessionId, caller, [view]);
    return { status: 200, body: factJson(view) };
  },
});
