import { namesInText } from '../../../kernel/internal-api.ts';
import {
  type ErasureSweep,
  matchKey,
  openJson,
  type PluginTables,
  type ServiceNames,
} from '../../../kernel/plugin-api.ts';
import { PARKED, SEALED_PARKED } from '../ingest/ingest-tables.ts';

const FACTS_AT_ONCE = 50;

type ParkedRow = {
  readonly peer_id: string;
  readonly scope: string;
  readonly digest: string;
  readonly fact: string;
};

const COLUMNS = ['peer_id', 'scope', 'digest'] as const;

/** Deletes parked facts that are about an erased entity or refer to its facts, so that they are never stored. */
export const sweepParked = (tables: PluginTables, names: ServiceNames): ErasureSweep => ({
  name: 'federation parked',
  async step({ tenantId, entityKey, scopes, named }, after, transaction) {
    const own = tables.in(transaction);
    const page = own(PARKED)
      .where({ tenant_id: tenantId })
      .orderBy([...COLUMNS])
      .limit(FACTS_AT_ONCE)
      .select(...COLUMNS, 'fact');
    if (after !== null) {
      const [peer, scope, fact] = JSON.parse(after) as [string, string, string];
      page.where((row) => {
        row
          .where('peer_id', '>', peer)
          .orWhere((same) => same.where('peer_id', peer).where('scope', '>', scope))
          .orWhere((same) => same.where({ peer_id: peer, scope }).where('digest', '>', fact));
      });
    }
    const rows = (await page) as readonly ParkedRow[];
    const texts = rows.map(({ fact }) => namesInText(fact));
    const erased = await named(texts.flat());
    let parked = 0;
    // A damaged fact may be about the entity, and can never be stored.
    const damaged = new Set<ParkedRow>();
    const entities = new Map(
      own.parse(
        rows,
        (row) => [row, entityOf(openJson(SEALED_PARKED, row, 'fact'), names)] as const,
        (row) => damaged.add(row),
      ),
    );
    for (const [at, row] of rows.entries()) {
      const { peer_id, scope, digest } = row;
      const isAbout = (scopes as readonly string[]).includes(scope) && entities.get(row) === entityKey;
      if (!damaged.has(row) && !isAbout && !texts[at]?.some((name) => erased.has(name))) continue;
      parked += 1;
      await own(PARKED).where({ tenant_id: tenantId, peer_id, scope, digest }).delete();
    }
    const last = rows.at(-1);
    const isOver = last === undefined || rows.length < FACTS_AT_ONCE;
    return { after: isOver ? null : JSON.stringify([last.peer_id, last.scope, last.digest]), counts: { parked } };
  },
});

const entityOf = ({ entity }: { readonly entity?: unknown }, names: ServiceNames): string | undefined =>
  typeof entity === 'string' ? matchKey(entity.trim(), names) : undefined;
