import { all, type Facts, isNull, type Route } from '../../kernel/plugin-api.ts';

/**
 * GET /v1/admin/cid-backfill/status (wire contract 4.10): how many of the facts that the caller may see carry a content
 * id. Every fact gets its own when it is stored, so something is pending only in a store that another program filled.
 */
export const cidBackfillStatusRoute = ({ facts }: { readonly facts: Facts }): Route => ({
  method: 'GET',
  path: '/v1/admin/cid-backfill/status',
  summary: 'How many facts still lack a content id',
  access: { permission: 'admin' },
  dimension: 'admin_action',
  async handle({ caller }) {
    const { total, pending } = await facts.read(caller, 'query', async (reader) => {
      const visible = await reader.constraint('visible');
      return {
        total: await reader.snapshot.count(visible),
        pending: await reader.snapshot.count(all(visible, isNull('cid'))),
      };
    });
    return {
      status: 200,
      body: {
        total_facts: total,
        backfilled_facts: total - pending,
        pending_facts: pending,
        backfill_complete: pending === 0,
      },
    };
  },
});
