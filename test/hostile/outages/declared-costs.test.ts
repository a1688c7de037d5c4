import { expect } from 'chai';
import { PLUGIN_CATALOG } from '../../../config/plugin-catalog.ts';
import type { DescribedRoute } from '../../../kernel/description/node-description.ts';
import { MAX_PERSON_COST } from '../../../kernel/http/person-turns.ts';
import { type JsonSchema, Turns } from '../../../kernel/plugin-api.ts';
import { ALL_PERMISSIONS } from '../../kit/all-permissions.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { type TurnWatch, watchTurns } from './watch-turns.ts';

const DEFAULT_PAGE = 50;
/** The cost of a request that counts, compares or lists everything of one kind. */
const COUNTS = 250;
/** The cost of a request that walks everything, up to the threshold of a job or the end of a piece. */
const WALKS = MAX_PERSON_COST;

/** Routes that read more rows than they return, with the least cost of their cheapest request. */
const READERS: Readonly<Record<string, number>> = {
  'GET /v1/admin/audit': COUNTS,
  'GET /v1/admin/billing/events': COUNTS,
  'GET /v1/admin/cid-backfill/status': COUNTS,
  'POST /v1/agents/:agent_id/recall-instruction': COUNTS,
  'GET /v1/audit': COUNTS,
  'GET /v1/audit/export': WALKS,
  'GET /v1/audit/verify': WALKS,
  'GET /v1/auth/agent-keys': COUNTS,
  'GET /v1/auth/audit': COUNTS,
  'GET /v1/auth/keys/expiring-soon': COUNTS,
  'GET /v1/cards/*entity_uri': COUNTS,
  'GET /v1/changes': COUNTS,
  'GET /v1/conflicts': DEFAULT_PAGE,
  'POST /v1/decay/sweep': WALKS,
  'GET /v1/entities/kinds': COUNTS,
  'GET /v1/facts': DEFAULT_PAGE,
  'GET /v1/facts/:id/history': DEFAULT_PAGE,
  'GET /v1/facts/:id/provenance': WALKS,
  'GET /v1/gardens': COUNTS,
  'GET /v1/gardens/*garden': COUNTS,
  'GET /v1/gardens/*garden/members': COUNTS,
  'GET /v1/graph/neighbors': COUNTS,
  'GET /v1/history/*entity_uri': DEFAULT_PAGE,
  'GET /v1/lint': WALKS,
  'POST /v1/lint': WALKS,
  'GET /v1/oauth/grants': COUNTS,
  'GET /v1/quarantine': COUNTS,
  'GET /v1/recall': COUNTS,
  'POST /v1/recall': COUNTS,
  'GET /v1/scopes/:scope/synthesize': WALKS,
  'POST /v1/subjects/export': WALKS,
  'GET /v1/subscriptions': COUNTS,
  'GET /v1/subscriptions/:id/events': COUNTS,
  'GET /v1/synthesis': WALKS,
  'POST /v1/synthesis': WALKS,
  'GET /v1/tenants/:id': COUNTS,
  'GET /v1/tenants/:id/export': WALKS,
  'GET /v1/timeline': COUNTS,
  'POST /v1/tombstones/:id/erase': WALKS,
};

/** Numbers in requests that bound no list: how far to look, how much of a text to return, where to begin, how long. */
const NO_PAGES: ReadonlySet<string> = new Set([
  'depth',
  'max_value_bytes',
  'offset',
  'overlap_s',
  'ttl_seconds',
  'within_days',
]);

interface NumericMember {
  readonly place: 'query' | 'body';
  readonly name: string;
  readonly maximum: number;
}

const membersOf = (schema: JsonSchema | undefined): [string, JsonSchema][] =>
  Object.entries((schema?.['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>);

/** Returns the integers with a maximum in the query and the body of a route, which may be sizes of a page. */
const sizesOf = ({ query, body, bodyForm }: DescribedRoute): NumericMember[] => {
  const found = [
    ...membersOf(query).map((member) => ['query', ...member] as const),
    ...(bodyForm === 'json' ? membersOf(body).map((member) => ['body', ...member] as const) : []),
  ];
  return found.flatMap(([place, name, { type, maximum }]) => {
    const isInteger = [type].flat().includes('integer') && typeof maximum === 'number';
    return isInteger && !NO_PAGES.has(name) ? [{ place, name, maximum }] : [];
  });
};

describe('The cost of a request to each route (I21)', () => {
  let node: TestNode;
  let key: string;
  let watch: TurnWatch;
  let routes: readonly DescribedRoute[];
  before(async () => {
    node = await startTestNode({
      plugins: Object.keys(PLUGIN_CATALOG),
      env: { SVC_MULTI_TENANT_ENABLED: 'true' },
      settings: { oauth: { enabled: true, insecure: true } },
    });
    key = await node.addKey({ permissions: ALL_PERMISSIONS });
    ({ routes } = await node.node.describe());
    watch = watchTurns(node.kernel.get(Turns), { ofPerson: WALKS, withCheap: 2 * WALKS });
  });
  after(() => node?.stop());

  const nameOf = ({ method, path }: DescribedRoute): string => `${method} ${path}`;

  /** Sends the example of a route with other members. Returns the highest cost that it had. */
  const costOf = async (route: DescribedRoute, members: readonly (NumericMember & { value: number })[]) => {
    const { example = {}, method, path } = route;
    const given = (place: string) => members.filter((one) => one.place === place).map((one) => [one.name, one.value]);
    const query = new URLSearchParams();
    const asked = { ...example.query, ...Object.fromEntries(given('query')) };
    for (const [name, value] of Object.entries(asked)) query.set(name, String(value));
    // A route takes one of two names for the same number.
    if (members.some(({ name }) => name === 'page_size')) query.delete('limit');
    const place = path.replace(/[:*]([a-z_]+)/g, (_, name: string) => encodeURIComponent(example.params?.[name] ?? ''));
    const body =
      given('body').length === 0 ? example.body : { ...(example.body as object), ...Object.fromEntries(given('body')) };
    watch.reset();
    await node.request(method, query.size === 0 ? place : `${place}?${query}`, { key, body });
    return watch.highestCost;
  };

  it('grows with every parameter that sets the size of a page, by any of its names', async () => {
    const faults: string[] = [];
    let count = 0;
    for (const route of routes.filter(({ access }) => access !== 'peer')) {
      for (const member of sizesOf(route)) {
        count += 1;
        const cost = await costOf(route, [{ ...member, value: member.maximum }]);
        if (cost < Math.min(member.maximum, COUNTS)) faults.push(`${nameOf(route)}: ${cost} for ${member.name}`);
      }
    }
    expect(faults).to.deep.equal([]);
    expect(count).to.be.greaterThan(25);
  });

  it('covers what a route reads beyond its page', async () => {
    const faults: string[] = [];
    const unseen = new Set(Object.keys(READERS));
    for (const route of routes) {
      const least = READERS[nameOf(route)];
      if (least === undefined) continue;
      unseen.delete(nameOf(route));
      const smallest = sizesOf(route)
        .filter(({ name }) => name === 'limit')
        .map((member) => ({ ...member, value: 1 }));
      const cost = await costOf(route, smallest);
      if (cost < least) faults.push(`${nameOf(route)}: ${cost} instead of ${least}`);
    }
    expect(faults).to.deep.equal([]);
    expect([...unseen], 'are routes of the node').to.deep.equal([]);
  });
});
