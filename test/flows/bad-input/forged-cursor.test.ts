import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { DERIVED_ROWS } from './derived-rows.ts';
import { FACT_ROWS } from './fact-rows.ts';
import type { HostileRequest } from './hostile-requests.ts';
import { judgeReply } from './judge-reply.ts';
import { type NodeUnderAttack, startNodeUnderAttack } from './node-under-attack.ts';
import { exchange } from './raw-exchange.ts';
import type { RouteRow } from './route-row.ts';
import { SERVICE_ROWS } from './service-rows.ts';

const PAGED: readonly RouteRow[] = [...FACT_ROWS, ...DERIVED_ROWS, ...SERVICE_ROWS].filter(
  ({ query }) => query?.['cursor'] === 'cursor',
);

const flipBit = (cursor: string, at: number): string => {
  const bytes = Buffer.from(cursor, 'base64url');
  bytes[at] = (bytes[at] as number) ^ 1;
  return bytes.toString('base64url');
};

/**
 * Parameters that do not filter a page, or whose value must exist: an unknown tenant gets status 404 with any cursor.
 */
const NO_FILTERS: ReadonlySet<string> = new Set(['limit', 'cursor', 'tenant_id']);

forEachStore('A page cursor', () => {
  let node: NodeUnderAttack;

  before(async () => {
    node = await startNodeUnderAttack();
  });

  after(() => node?.stop());

  const read = (key: string, target: string) => ({
    method: 'GET',
    target,
    headers: [['Authorization', `Bearer ${key}`]] as const,
  });

  const firstPage = (row: RouteRow): string =>
    `${row.path(node.fixtures)}?${row.baseQuery === undefined ? '' : `${row.baseQuery}&`}limit=1`;

  const firstCursor = async (row: RouteRow): Promise<string> => {
    const { text } = await exchange(node.port, read(node.keys.all, firstPage(row)));
    const page = JSON.parse(text) as { cursor?: string | null; next_cursor?: string | null };
    return page.cursor ?? page.next_cursor ?? '';
  };

  for (const row of PAGED) {
    it(`of ${row.route} is refused after any change, for another caller, and for another query`, async () => {
      const cursor = await firstCursor(row);
      expect(cursor, 'a second page').to.not.equal('');
      const page = firstPage(row);
      const length = Buffer.from(cursor, 'base64url').length;
      const forged = Array.from({ length }, (_, at) => ({ name: `bit of byte ${at}`, cursor: flipBit(cursor, at) }));
      const [filter = ''] = Object.keys(row.query ?? {}).filter((name) => !NO_FILTERS.has(name));
      const value = { status: 'all', since: '2001-01-01T00:00:00Z', event_type: 'fact_write' }[filter] ?? 'user:a';
      const reader = node.keys.only.get(page.includes('/admin/') ? 'admin' : 'read') ?? '';
      const requests: HostileRequest[] = [
        ...[
          ...forged,
          { name: 'cut short', cursor: cursor.slice(0, -1) },
          { name: 'more behind it', cursor: `${cursor}A` },
        ].map(
          (forgery): HostileRequest => ({
            name: forgery.name,
            request: read(node.keys.all, `${page}&cursor=${forgery.cursor}`),
            expect: 'refused',
            statuses: [400],
          }),
        ),
        {
          name: 'another caller',
          request: read(reader, `${page}&cursor=${cursor}`),
          expect: 'refused',
          statuses: [400],
        },
        {
          name: 'another query',
          request: read(node.keys.all, `${page}&${filter}=${value}&cursor=${cursor}`),
          expect: 'refused',
          statuses: [400],
        },
      ];
      const faults: string[] = [];
      for (const hostile of requests) {
        const reply = await exchange(node.port, hostile.request);
        faults.push(
          ...judgeReply(hostile, reply, node.errorCodes).map(
            (fault) => `${hostile.name}: ${fault} ${reply.text.slice(0, 120)}`,
          ),
        );
      }
      expect(faults).to.deep.equal([]);
      const { status } = await exchange(node.port, read(node.keys.all, `${page}&cursor=${cursor}`));
      expect(status).to.equal(200);
    });
  }
});
