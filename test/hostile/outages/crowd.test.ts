import { expect } from 'chai';
import { sealRow } from '../../../kernel/internal-api.ts';
import { SEALED_AGENT_KEYS } from '../../../plugins/keys/agent-key-store.ts';
import { FactStore, type SqlValue } from '../../../ports/ports.ts';
import type { StoreCounts } from '../../fakes/counting-store.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { refDraft } from '../../plugins/graph/ref-drafts.ts';
import { type CrowdedNode, type CrowdRequest, startCrowdedNode, textDraft } from './crowd-kit.ts';

const CROWD = 500;

const range = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

type Requests = Readonly<Record<string, CrowdRequest>>;

const get = (target: string, as: CrowdRequest['as'] = 'member'): CrowdRequest => ({
  as,
  method: 'GET',
  target: () => target,
});

const post = (target: string, body: (n: number) => unknown): CrowdRequest => ({
  as: 'member',
  method: 'POST',
  target: () => target,
  body,
});

const assertion = (n: number) => ({
  entity: `user:written${n}`,
  relation: 'memory:note',
  value: { type: 'string', v: `note ${n}` },
  source: 'agent:sub',
  scope: 'company',
});

const requestsOf = ({ fact, derived, subscription }: CrowdedNode['ids']): Requests => ({
  'GET /v1/facts': get('/v1/facts?limit=5'),
  'GET /v1/facts of an entity': get('/v1/facts?entity=user:alice'),
  'GET /v1/facts/:id': get(`/v1/facts/${fact}`),
  'GET /v1/facts/:id/provenance': get(`/v1/facts/${derived}/provenance`),
  'POST /v1/facts/:id/verify-cid': post(`/v1/facts/${fact}/verify-cid`, () => ({})),
  'POST /v1/facts': post('/v1/facts', assertion),
  'POST /v1/facts/batch': post('/v1/facts/batch', (n) => range(20).map((at) => assertion(n * 100 + at))),
  'GET /v1/conflicts': get('/v1/conflicts?limit=5'),
  'GET /v1/graph/neighbors': get('/v1/graph/neighbors?entity=user:alice&depth=2'),
  'POST /v1/recall': post('/v1/recall', () => ({
    query: 'brass lantern',
    token_budget: 200,
    include_neighbors: false,
  })),
  'GET /v1/cards/:entity_uri': get('/v1/cards/user:alice?scope=company'),
  'GET /v1/history/:entity_uri': get('/v1/history/user:alice?limit=5'),
  'GET /v1/timeline': get('/v1/timeline?limit=50'),
  'GET /v1/audit': get('/v1/audit?limit=5'),
  'GET /v1/audit/use': get('/v1/audit/use?limit=50'),
  'GET /v1/audit/facts/:id': get(`/v1/audit/facts/${fact}`),
  'GET /v1/auth/audit': get('/v1/auth/audit?limit=5', 'admin'),
  'GET /v1/admin/billing/events': get('/v1/admin/billing/events?limit=5', 'admin'),
  'GET /v1/auth/keys': get('/v1/auth/keys'),
  'GET /v1/auth/agent-keys': get('/v1/auth/agent-keys'),
  'GET /v1/gardens': get('/v1/gardens'),
  'GET /v1/gardens/:garden': get('/v1/gardens/own'),
  'GET /v1/gardens/:garden/members': get('/v1/gardens/own/members'),
  'GET /v1/quarantine': get('/v1/quarantine'),
  'GET /v1/federation/capability-tokens': get('/v1/federation/capability-tokens?limit=5'),
  'GET /v1/jobs': get('/v1/jobs?limit=5'),
  'GET /v1/subscriptions': get('/v1/subscriptions'),
  'GET /v1/subscriptions/:id': get(`/v1/subscriptions/${subscription}`),
  'GET /v1/subscriptions/:id/events': get(`/v1/subscriptions/${subscription}/events?limit=1`),
});

const ADMIN = 'an act of administration on one row, of the writer itself';
const OWN = 'a write of one own row, like the ones that are asked';

const NOT_ASKED: Readonly<Record<string, string>> = {
  'GET /.well-known/svc': 'asks no store',
  'GET /healthz': 'asks no store',
  'GET /readyz': 'asks no store',
  'GET /': 'is made once',
  'GET /spec': 'is made once',
  'GET /console': 'is made once',
  'GET /console/': 'is made once',
  'GET /console/*place': 'is made once',
  'GET /console/setup.json': 'is made once',
  'GET /console/sign-in.json': 'is made once',
  'GET /console/files/:name': 'is made once',
  'GET /openapi.json': 'is made once',
  'GET /v1/openapi.json': 'is made once',
  'GET /v1/me': 'asks no store',
  'POST /v1/mcp': 'asks what the routes of its tools ask',
  'GET /v1/node': 'asks the store for the names of its tables, for the operator',
  'GET /v1/metrics': 'reads each number once a second, however many ask',
  'GET /v1/admin/cid-backfill/status': 'counts all facts, for administrators',
  'GET /v1/admin/audit': 'is GET /v1/auth/audit in another form',
  'GET /v1/audit/export': 'gives all that it finds',
  'GET /v1/audit/verify': 'verifies a bounded piece of the log, for auditors',
  'GET /v1/recall': 'is POST /v1/recall in another form',
  'GET /v1/auth/keys/expiring-soon': 'gives all that it finds, for administrators',
  'GET /v1/admin/reindex': 'reads how far the indexes are, for the operator',
  'POST /v1/admin/reindex': 'leaves the work to a job, one at a time',
  'GET /v1/backups': 'reads a folder, for the operator',
  'POST /v1/backups': 'leaves the work to a job, one at a time',
  'GET /v1/jobs/:id': 'reads one job',
  'GET /v1/synthesis': 'counts all facts of the caller, in pieces',
  'POST /v1/synthesis': 'is GET /v1/synthesis in another form',
  'GET /v1/scopes/:scope/synthesize': 'is GET /v1/synthesis in another form',
  'GET /v1/facts/:id/history': 'is GET /v1/history of one triple',
  'GET /v1/entities/kinds': 'counts all entities of the caller, in pages',
  'GET /v1/changes': 'tests all facts of the caller, in pieces',
  'GET /v1/decay/jobs/:id': 'reads one job',
  'POST /v1/decay/sweep': 'looks at all facts of the caller, and ends them in small transactions',
  'DELETE /v1/jobs/:id': OWN,
  'POST /v1/jobs/:id/resume': OWN,
  'GET /v1/subscriptions/:id/stream': 'reads as GET /v1/subscriptions/:id/events does',
  'POST /v1/conflicts/*id/resolve': OWN,
  'POST /v1/auth/keys': ADMIN,
  'DELETE /v1/auth/keys/:id': ADMIN,
  'POST /v1/auth/keys/:id/rotate': ADMIN,
  'POST /v1/auth/oidc/exchange': 'asks no store before an identity provider has vouched for somebody',
  'POST /v1/auth/agent-keys': OWN,
  'DELETE /v1/auth/agent-keys/:id': OWN,
  'POST /v1/gardens': OWN,
  'DELETE /v1/gardens/:garden': OWN,
  'POST /v1/gardens/:garden/members': OWN,
  'PATCH /v1/gardens/:garden/members/:entity_uri': OWN,
  'DELETE /v1/gardens/:garden/members/:entity_uri': OWN,
  'POST /v1/gardens/:garden/promote': ADMIN,
  'POST /v1/gardens/:garden/reject': ADMIN,
  'POST /v1/quarantine/:fact_id/admit': ADMIN,
  'POST /v1/quarantine/:fact_id/reject': ADMIN,
  'POST /v1/federation/capability-tokens': OWN,
  'POST /v1/federation/capability-tokens/verify': 'reads one token',
  'POST /v1/federation/capability-tokens/:token_id/revoke': OWN,
  'POST /v1/subscriptions': OWN,
  'DELETE /v1/subscriptions/:id': OWN,
  'POST /v1/subscriptions/:id/rotate-secret': OWN,
  'GET /v1/agents/:agent_id/instruction-manifest': 'reads one manifest',
  'PUT /v1/agents/:agent_id/instruction-manifest': OWN,
  'POST /v1/agents/:agent_id/recall-instruction': 'reads the units of one manifest',
  'POST /v1/instruction/audit': OWN,
};

/** Normalises route names, so that all kinds of parameters look alike. */
const patternOf = (name: string): string => name.replaceAll('*', ':').replace(/ of an entity$/, '');

interface Crowd {
  readonly title: string;
  gather(crowded: CrowdedNode): Promise<void>;
}

const insert = (crowded: CrowdedNode, table: string, rows: readonly Record<string, SqlValue>[]) =>
  crowded.subscribed.node.kernel.get(FactStore).write('default', (transaction) => transaction.insertRows(table, rows));

const CROWDS: readonly Crowd[] = [
  {
    title: 'facts about other entities',
    gather: ({ write }) => write(range(CROWD).map((n) => textDraft(`user:other${n}`, 'memory:note', `word${n}`))),
  },
  {
    title: 'facts about one other entity',
    gather: ({ write }) => write(range(CROWD).map((n) => textDraft('user:other', `memory:n${n}`, `word${n}`))),
  },
  {
    title: 'edges of entities that nobody here is next to',
    gather: ({ write }) => write(range(CROWD).map((n) => refDraft(`user:a${n}`, `user:b${n}`))),
  },
  {
    title: 'events of a subscription',
    gather: ({ write }) => write(range(CROWD).map((n) => textDraft('user:watched', `memory:more${n}`, `word${n}`))),
  },
  {
    title: 'contradictions of strangers',
    gather: ({ write }) =>
      write(range(CROWD).map((n) => textDraft(`user:torn${n % (CROWD / 2)}`, 'memory:note', `word${n}`))),
  },
  {
    title: 'agent keys of others',
    gather: (crowded) =>
      insert(
        crowded,
        'keys_agent_keys',
        range(CROWD).map((n) =>
          sealRow(SEALED_AGENT_KEYS, {
            id: `key${n}`,
            tenant_id: 'default',
            entity_uri: `agent:other${n}`,
            public_key: 'p',
            description: null,
            registered_ms: n,
            revoked_ms: null,
          }),
        ),
      ),
  },
  {
    title: 'gardens of others',
    gather: async ({ subscribed: { node } }) => {
      const key = await node.addKey({ entityUri: 'agent:gardener' });
      for (const n of range(60)) {
        const body = { slug: `plot-${n}`, name: 'Plot', scope: 'company' };
        expect((await node.request('POST', '/v1/gardens', { key, body })).status).to.equal(201);
      }
    },
  },
  {
    title: 'subscriptions of one stranger to many entities',
    gather: async ({ subscribed }) => {
      const token = await subscribed.token('svc://facts', { subject: 'agent:stranger' });
      const key = await subscribed.node.addKey({ entityUri: 'agent:stranger' });
      for (const n of range(60)) {
        const reply = await subscribed.node.request('POST', '/v1/subscriptions', {
          key,
          headers: { 'X-Svc-Capability': token.text },
          body: { target: `user:elsewhere${n}`, on_change: 'webhook', webhook_url: 'https://hook.example/in' },
        });
        expect(reply.status, reply.text).to.equal(201);
      }
    },
  },
];

/** Lists the requests that cost more than before. */
const excessOf = (costs: Readonly<Record<string, StoreCounts>>, alone: Readonly<Record<string, StoreCounts>>) =>
  Object.entries(costs).flatMap(([name, { statements, rows }]) => {
    const was = alone[name];
    const isMore = was === undefined || statements > was.statements || rows > was.rows;
    return isMore ? [`${name}: ${was?.statements} → ${statements} statements, ${was?.rows} → ${rows} rows`] : [];
  });

forEachStore('A stranger stores a crowd of facts that no request needs (I21)', () => {
  let crowded: CrowdedNode;
  let requests: Requests;
  /** The costs before any crowd exists. */
  let alone: Record<string, StoreCounts>;
  before(async function () {
    this.timeout(240_000);
    crowded = await startCrowdedNode();
    requests = requestsOf(crowded.ids);
    // Some requests create data, such as a card, that later requests find.
    await costs();
    alone = await costs();
  });
  after(() => crowded.stop());

  const costs = async (): Promise<Record<string, StoreCounts>> => {
    const found: Record<string, StoreCounts> = {};
    for (const [name, request] of Object.entries(requests)) found[name] = await crowded.cost(request);
    return found;
  };

  it('every route is measured, or listed with a reason why not', async () => {
    const { routes } = await crowded.subscribed.node.node.describe();
    const names = [...Object.keys(requests), ...Object.keys(NOT_ASKED)].map(patternOf);
    const missing = routes
      .map(({ method, path }) => patternOf(`${method} ${path}`))
      .filter((one) => !names.includes(one));
    expect(missing).to.deep.equal([]);
    for (const [name, { statements }] of Object.entries(alone)) expect(statements, name).to.be.greaterThan(0);
  });

  for (const { title, gather } of CROWDS) {
    it(`${title}: no request needs more statements or reads more rows than before`, async function () {
      this.timeout(240_000);
      await gather(crowded);
      expect(excessOf(await costs(), alone)).to.deep.equal([]);
    });
  }
});
