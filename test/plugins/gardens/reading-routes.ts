/** The ids that a stranger may use in a request; all of them are visible to the stranger. */
export interface Seen {
  readonly factId: string;
  readonly cid: string;
  readonly derivedId: string;
}

export type Target = readonly [target: string, body?: unknown];

/** A time after all facts are stored and before the stranger reads. */
const AFTER_THE_STORY = '2026-03-02T12:00:00Z';

const recalls = (): object[] => [
  { query: 'lavender lantern harbour', token_budget: 4_000 },
  { query: 'quiet voyage', token_budget: 120, depth: 2, scope: 'company', include_contradicted: true },
  { query: 'who knows alice', token_budget: 4_000, weights: { lexical: 0.2, vector: 0.3, graph: 0.5 } },
  { query: 'lantern', token_budget: 4_000, weights: { lexical: 1 } },
  { query: 'lantern', token_budget: 4_000, weights: { vector: 1 } },
  { entity: 'user:alice', token_budget: 4_000 },
  { entity: 'user:hidden', token_budget: 4_000 },
  { query: 'role', entity: 'user:alice', relation: 'memory:role', token_budget: 4_000, include_contradicted: true },
  { query: 'lavender lantern harbour', token_budget: 4_000, depth: 2, as_of: AFTER_THE_STORY },
  { entity: 'user:alice', token_budget: 4_000, as_of: AFTER_THE_STORY },
];

const asQuery = (members: object): string =>
  Object.entries(members)
    .map(([name, value]) => `${name}=${encodeURIComponent(typeof value === 'object' ? JSON.stringify(value) : value)}`)
    .join('&');

const message = (method: string, params: object): Target => ['/v1/mcp', { jsonrpc: '2.0', id: 1, method, params }];

const toolCall = (name: string, args: object): Target => message('tools/call', { name, arguments: args });

/** The read requests for each route, or the reason for having none. The sweep fails for a route missing here. */
export const READING_ROUTES: Readonly<Record<string, 'writes' | 'open' | ((seen: Seen) => readonly Target[])>> = {
  'GET /.well-known/svc': 'open',
  'GET /healthz': 'open',
  'GET /readyz': 'open',
  'GET /': 'open',
  'GET /spec': 'open',
  'GET /console': 'open',
  'GET /console/': 'open',
  'GET /console/*place': 'open',
  'GET /console/setup.json': 'open',
  'GET /console/sign-in.json': 'open',
  'GET /console/files/:name': 'open',
  'GET /openapi.json': 'open',
  'GET /v1/openapi.json': () => [['/v1/openapi.json']],
  // Returns counts of the whole node for its operator, without data of a single fact.
  'GET /v1/metrics': 'open',
  // Describes the node and its plugins, without any fact.
  'GET /v1/node': 'open',
  'POST /v1/imports': 'writes',
  'POST /v1/mcp': ({ factId }) => [
    ...recalls().map((args) => toolCall('recall', args)),
    ...['user:alice', 'user:bob', 'user:hidden', 'user:carol', 'doc:sum'].flatMap((entity): Target[] => [
      toolCall('query', { entity, include_contradicted: true, include_retracted: true }),
      toolCall('card', { entity, scope: 'company' }),
      toolCall('neighbors', { entity, depth: 2 }),
      toolCall('forget', { entity }),
      message('resources/read', { uri: `memory://card/${entity}` }),
    ]),
    toolCall('conflicts', { status: 'all' }),
    toolCall('forget', { fact_id: factId }),
    message('resources/read', { uri: `memory://fact/${factId}` }),
    message('prompts/get', { name: 'session_start', arguments: { topic: 'lantern' } }),
    message('prompts/get', { name: 'conflict_review' }),
  ],
  'GET /v1/me': () => [['/v1/me']],
  'GET /v1/me/limits': () => [['/v1/me/limits']],
  'GET /v1/facts': () => [
    ['/v1/facts'],
    ['/v1/facts?limit=3'],
    ['/v1/facts?include_contradicted=true&include_expired=true&include_retracted=true&limit=500'],
    ...['user:alice', 'user:bob', 'user:hidden', 'user:carol', 'doc:sum'].flatMap((entity): Target[] => [
      [`/v1/facts?entity=${entity}`],
      [`/v1/facts?entity=${entity}&include_contradicted=true&include_retracted=true`],
    ]),
    ['/v1/facts?relation=svc:conflict:status'],
    ['/v1/facts?relation=svc:conflict:between'],
    ['/v1/facts?relation=svc:ttl'],
    ['/v1/facts?relation=svc:resolves'],
    ['/v1/facts?relation=svc:memory:card'],
    ['/v1/facts?scope=company&min_confidence=0.5'],
    ['/v1/facts?garden_id=herbs'],
    ...['as_of', 'valid_at'].flatMap((moment): Target[] => [
      [`/v1/facts?${moment}=${AFTER_THE_STORY}&limit=500`],
      [`/v1/facts?${moment}=${AFTER_THE_STORY}&include_contradicted=true&include_expired=true&include_retracted=true`],
      [`/v1/facts?${moment}=${AFTER_THE_STORY}&entity=user:alice`],
      [`/v1/facts?${moment}=${AFTER_THE_STORY}&entity=user:hidden&include_contradicted=true`],
      [`/v1/facts?${moment}=${AFTER_THE_STORY}&garden_id=herbs`],
    ]),
    [`/v1/facts?as_of=${AFTER_THE_STORY}&valid_at=${AFTER_THE_STORY}`],
  ],
  'GET /v1/entities/kinds': () => [['/v1/entities/kinds'], ['/v1/entities/kinds?limit=1']],
  'GET /v1/facts/:id': ({ factId, cid }) => [
    [`/v1/facts/${factId}`],
    [`/v1/facts/${cid}`],
    [`/v1/facts/${factId}?as_of=${AFTER_THE_STORY}`],
    [`/v1/facts/${cid}?as_of=${AFTER_THE_STORY}`],
  ],
  'GET /v1/facts/:id/provenance': ({ derivedId, factId }) => [
    [`/v1/facts/${derivedId}/provenance`],
    [`/v1/facts/${factId}/provenance?depth=2`],
    [`/v1/facts/${derivedId}/provenance?as_of=${AFTER_THE_STORY}`],
  ],
  'POST /v1/facts/:id/verify-cid': ({ factId }) => [[`/v1/facts/${factId}/verify-cid`]],
  'GET /v1/admin/cid-backfill/status': () => [['/v1/admin/cid-backfill/status']],
  'POST /v1/facts': 'writes',
  'POST /v1/facts/batch': 'writes',
  'GET /v1/conflicts': () => [
    ['/v1/conflicts'],
    ['/v1/conflicts?status=all'],
    ['/v1/conflicts?status=resolved'],
    ['/v1/conflicts?status=all&limit=1'],
  ],
  'POST /v1/conflicts/*id/resolve': 'writes',
  'GET /v1/cards/*entity_uri': () =>
    ['user:alice', 'user:bob', 'user:hidden'].flatMap((entity): Target[] => [
      [`/v1/cards/${entity}?scope=company`],
      [`/v1/cards/${entity}?scope=company&refresh=true`],
      [`/v1/cards/${entity}?scope=company&as_of=${AFTER_THE_STORY}`],
    ]),
  'GET /v1/graph/neighbors': () => [
    ...['user:alice', 'user:bob', 'user:hidden', 'user:dora'].map(
      (entity): Target => [`/v1/graph/neighbors?entity=${entity}&depth=2`],
    ),
    ['/v1/graph/neighbors?entity=user:alice&depth=2&limit=1'],
    [`/v1/graph/neighbors?entity=user:alice&entity=user:hidden&depth=2&as_of=${AFTER_THE_STORY}`],
    ['/v1/graph/neighbors?entity=user:alice&entity=user:bob&relation=rel:*'],
  ],
  'GET /v1/history/*entity_uri': () =>
    ['user:alice', 'user:bob', 'user:hidden'].flatMap((entity): Target[] => [
      [`/v1/history/${entity}`],
      [`/v1/history/${entity}?limit=1&scope=company`],
    ]),
  'GET /v1/timeline': () => [['/v1/timeline'], ['/v1/timeline?limit=2']],
  'GET /v1/changes': () => [
    ['/v1/changes?since=2020-01-01T00:00:00Z'],
    [`/v1/changes?since=2020-01-01T00:00:00Z&until=${AFTER_THE_STORY}&limit=1`],
    [`/v1/changes?since=${AFTER_THE_STORY}&change=ended`],
  ],
  'GET /v1/facts/:id/history': ({ factId, derivedId }) => [
    [`/v1/facts/${factId}/history`],
    [`/v1/facts/${derivedId}/history?limit=1`],
  ],
  'GET /v1/synthesis': () => [
    ['/v1/synthesis'],
    ['/v1/synthesis?limit=1&include_expired=true'],
    ['/v1/synthesis?scope=company&min_confidence=0.5'],
    ...['user:alice', 'user:bob', 'user:hidden'].map((entity): Target => [`/v1/synthesis?entity=${entity}`]),
  ],
  'POST /v1/synthesis': () => [
    ['/v1/synthesis', {}],
    ['/v1/synthesis', { scope: 'company', entity: 'user:alice', limit: 1 }],
  ],
  'GET /v1/scopes/:scope/synthesize': () => [['/v1/scopes/company/synthesize']],
  'POST /v1/decay/sweep': 'writes',
  'GET /v1/decay/jobs/:id': () => [['/v1/decay/jobs/no-such-job']],
  'GET /v1/jobs/:id': () => [['/v1/jobs/no-such-job']],
  'DELETE /v1/jobs/:id': 'writes',
  'POST /v1/jobs/:id/resume': 'writes',
  'GET /v1/jobs': () => [['/v1/jobs'], ['/v1/jobs?status=done&limit=2']],
  'GET /v1/lint': () => [['/v1/lint'], ['/v1/lint?stale_lookahead_s=100000000'], ['/v1/lint?entity=user:alice']],
  'POST /v1/lint': () => [['/v1/lint', { scope: 'company' }]],
  'GET /v1/lint/jobs/:id': () => [['/v1/lint/jobs/no-such-job']],
  'GET /v1/upkeep': () => [['/v1/upkeep']],
  'POST /v1/upkeep/:task/run': 'writes',
  'POST /v1/recall': () => recalls().map((body): Target => ['/v1/recall', body]),
  'GET /v1/recall': () => recalls().map((members): Target => [`/v1/recall?${asQuery(members)}`]),
  'GET /v1/audit': () => [['/v1/audit'], ['/v1/audit?limit=2']],
  'GET /v1/audit/use': () => [['/v1/audit/use'], ['/v1/audit/use?limit=2']],
  'GET /v1/audit/facts/:id': ({ factId }) => [[`/v1/audit/facts/${factId}`]],
  'GET /v1/audit/export': () => [['/v1/audit/export'], ['/v1/audit/export?format=jsonl']],
  'GET /v1/audit/verify': () => [['/v1/audit/verify']],
  'GET /v1/auth/audit': () => [['/v1/auth/audit']],
  'GET /v1/admin/reindex': () => [['/v1/admin/reindex']],
  'POST /v1/admin/reindex': 'writes',
  'GET /v1/admin/audit': () => [['/v1/admin/audit']],
  'GET /v1/admin/billing/events': () => [['/v1/admin/billing/events']],
  'GET /v1/auth/keys': () => [['/v1/auth/keys']],
  'GET /v1/auth/keys/expiring-soon': () => [['/v1/auth/keys/expiring-soon']],
  'POST /v1/auth/keys': 'writes',
  'POST /v1/auth/oidc/exchange': 'writes',
  'DELETE /v1/auth/keys/:id': 'writes',
  'POST /v1/auth/keys/:id/rotate': 'writes',
  'GET /v1/auth/agent-keys': () => [['/v1/auth/agent-keys']],
  'POST /v1/auth/agent-keys': 'writes',
  'DELETE /v1/auth/agent-keys/:id': 'writes',
  'GET /v1/gardens': () => [['/v1/gardens']],
  'POST /v1/gardens': 'writes',
  'GET /v1/gardens/*garden': () => [['/v1/gardens/herbs'], ['/v1/gardens/own']],
  'DELETE /v1/gardens/*garden': 'writes',
  'GET /v1/gardens/*garden/members': () => [['/v1/gardens/herbs/members'], ['/v1/gardens/own/members']],
  'POST /v1/gardens/*garden/members': 'writes',
  'PATCH /v1/gardens/:garden/members/*entity_uri': 'writes',
  'DELETE /v1/gardens/:garden/members/*entity_uri': 'writes',
  'POST /v1/gardens/*garden/promote': 'writes',
  'POST /v1/gardens/*garden/reject': 'writes',
  'GET /v1/quarantine': () => [['/v1/quarantine'], ['/v1/quarantine?garden_id=herbs']],
  'POST /v1/quarantine/:fact_id/admit': 'writes',
  'POST /v1/quarantine/:fact_id/reject': 'writes',
  'GET /v1/backups': () => [['/v1/backups']],
  'POST /v1/backups': 'writes',
  'GET /v1/tenants': () => [['/v1/tenants']],
  'POST /v1/tenants': 'writes',
  'GET /v1/tenants/:id': () => [['/v1/tenants/default']],
  'PATCH /v1/tenants/:id': 'writes',
  'DELETE /v1/tenants/:id': 'writes',
  'GET /v1/tenants/:id/export': () => [['/v1/tenants/default/export']],
  'GET /v1/namespaces': () => [['/v1/namespaces']],
  'PUT /v1/namespaces': 'writes',
  'DELETE /v1/namespaces': 'writes',
  'GET /v1/connect/clients': () => [['/v1/connect/clients']],
  'GET /v1/relations': () => [['/v1/relations']],
  'POST /v1/relations': 'writes',
  'PUT /v1/relations': 'writes',
  'DELETE /v1/relations': 'writes',
  'GET /v1/federation/audit': () => [['/v1/federation/audit']],
  // The route accepts peer tokens only; the federation tests cover the facts of gardens.
  'GET /v1/federation/facts': 'open',
  'POST /v1/federation/facts/push': 'writes',
  'GET /v1/federation/tombstones': 'open',
  'GET /v1/federation/peers': () => [['/v1/federation/peers']],
  'POST /v1/federation/peers': 'writes',
  'POST /v1/federation/declarations': 'writes',
  'DELETE /v1/federation/peers/:peer_id': 'writes',
  'GET /v1/federation/peers/:peer_id/lag': () => [['/v1/federation/peers/no-such-peer/lag']],
  'GET /v1/federation/capability-tokens': () => [['/v1/federation/capability-tokens']],
  'POST /v1/federation/capability-tokens': 'writes',
  'POST /v1/federation/capability-tokens/verify': () => [
    ['/v1/federation/capability-tokens/verify', { token_json: '{}' }],
  ],
  'POST /v1/federation/capability-tokens/:token_id/revoke': 'writes',
  'GET /v1/subscriptions': () => [['/v1/subscriptions']],
  'POST /v1/subscriptions': 'writes',
  'GET /v1/subscriptions/:id': () => [['/v1/subscriptions/no-such-subscription']],
  'DELETE /v1/subscriptions/:id': 'writes',
  'POST /v1/subscriptions/:id/rotate-secret': 'writes',
  'GET /v1/subscriptions/:id/events': () => [['/v1/subscriptions/no-such-subscription/events']],
  'GET /v1/subscriptions/:id/stream': () => [['/v1/subscriptions/no-such-subscription/stream']],
  'GET /v1/agents/:agent_id/instruction-manifest': () => [['/v1/agents/a1/instruction-manifest']],
  'PUT /v1/agents/:agent_id/instruction-manifest': 'writes',
  'POST /v1/agents/:agent_id/recall-instruction': () => [['/v1/agents/a1/recall-instruction', { intent: 'lavender' }]],
  'POST /v1/instruction/audit': 'writes',
  'POST /v1/tombstones': 'writes',
  'GET /v1/tombstones': () => [['/v1/tombstones?limit=500']],
  'GET /v1/tombstones/*entity_uri': () => [['/v1/tombstones/user:alice'], ['/v1/tombstones/user:hidden']],
  // The route signs a receipt over ids; `plugins/tombstones/subject` tests that it contains nothing hidden.
  'POST /v1/subjects/export': 'writes',
  'POST /v1/tombstones/:id/revoke': 'writes',
  'POST /v1/tombstones/:id/erase': 'writes',
};
