import type { ExampleRow } from './example-row.ts';
import { makeConflict, storeFact } from './prepare.ts';
import type { Stage } from './stage.ts';

const named = async (stage: Stage) => ({ params: { id: (await storeFact(stage)).id } });
const once = async ({ unique }: Stage) => ({ headers: { 'Idempotency-Key': unique() } });

/** Routes of facts and contradictions, and of views on both. */
export const FACT_EXAMPLE_ROWS: readonly ExampleRow[] = [
  { route: 'POST /v1/facts', prepare: once },
  { route: 'POST /v1/facts/batch', prepare: once },
  { route: 'GET /v1/facts' },
  { route: 'GET /v1/entities/kinds' },
  { route: 'GET /v1/facts/:id', prepare: named },
  { route: 'GET /v1/facts/:id/provenance', prepare: named },
  { route: 'GET /v1/facts/:id/history', prepare: named },
  {
    route: 'POST /v1/facts/:id/verify-cid',
    async prepare(stage) {
      const { id, cid } = await storeFact(stage);
      return { params: { id }, body: { cid } };
    },
  },
  { route: 'GET /v1/admin/cid-backfill/status' },
  { route: 'GET /v1/history/*entity_uri' },
  { route: 'GET /v1/timeline' },
  { route: 'GET /v1/changes' },
  { route: 'GET /v1/conflicts' },
  {
    route: 'POST /v1/conflicts/*id/resolve',
    async prepare(stage) {
      const { id, winner } = await makeConflict(stage);
      return { params: { id }, body: { winning_fact_id: winner } };
    },
  },
  { route: 'GET /v1/recall' },
  { route: 'POST /v1/recall' },
  {
    route: 'GET /v1/cards/*entity_uri',
    async prepare(stage) {
      await storeFact(stage);
      return {};
    },
  },
  { route: 'GET /v1/graph/neighbors' },
  { route: 'GET /v1/synthesis' },
  { route: 'POST /v1/synthesis' },
  { route: 'GET /v1/scopes/:scope/synthesize' },
  { route: 'GET /v1/lint' },
  { route: 'POST /v1/lint' },
  { route: 'POST /v1/decay/sweep' },
  { route: 'GET /v1/audit/facts/:id', prepare: named },
];
