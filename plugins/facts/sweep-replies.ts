import { namesInText, sealText } from '../../kernel/internal-api.ts';
import type { ErasureSweep, PluginTables } from '../../kernel/plugin-api.ts';
import { IDEMPOTENCY_TABLE } from './facts-migrations.ts';

/** The number of replies read at a time, because one may have some megabytes. */
const REPLIES_AT_ONCE = 50;

interface ReplyRow {
  readonly entity_uri: string;
  readonly idempotency_key: string;
  readonly body: string;
}

/**
 * Erases the text of recorded replies that name an erased fact. Also erases the digest of their request, because
 * anybody could guess a short value from it. The key stays in use, so a repeated request is refused, and does not
 * assert the value again.
 */
export const sweepReplies = (tables: PluginTables): ErasureSweep => ({
  name: 'facts replies',
  async step({ tenantId, named }, after, transaction) {
    const own = tables.in(transaction);
    const hide = (key: string): string => tables.hide(tenantId, IDEMPOTENCY_TABLE, 'idempotency_key', key);
    const page = own(IDEMPOTENCY_TABLE)
      .where({ tenant_id: tenantId })
      .orderBy(['entity_uri', 'idempotency_key'])
      .limit(REPLIES_AT_ONCE)
      .select('entity_uri', 'idempotency_key', 'body');
    if (after !== null) {
      const [entity, key] = JSON.parse(after) as [string, string];
      page.where((row) => {
        row.where('entity_uri', '>', entity).orWhere((same) => {
          same.where('entity_uri', entity).where('idempotency_key', '>', hide(key));
        });
      });
    }
    const rows = (await page) as readonly ReplyRow[];
    const names = rows.map(({ body }) => namesInText(body));
    const erased = await named(names.flat());
    let replies = 0;
    for (const [at, { entity_uri, idempotency_key }] of rows.entries()) {
      if (!names[at]?.some((name) => erased.has(name))) continue;
      replies += 1;
      await own(IDEMPOTENCY_TABLE)
        .where({ tenant_id: tenantId, entity_uri, idempotency_key: hide(idempotency_key) })
        .update({ request_hash: '', body: sealText('') });
    }
    const last = rows.at(-1);
    const isOver = last === undefined || rows.length < REPLIES_AT_ONCE;
    return { after: isOver ? null : JSON.stringify([last.entity_uri, last.idempotency_key]), counts: { replies } };
  },
});
