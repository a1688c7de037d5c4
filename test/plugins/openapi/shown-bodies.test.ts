import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import fc from 'fast-check';
import { type JsonSchema, parseInstant } from '../../../kernel/plugin-api.ts';
import type { ApiDocument } from '../../../plugins/openapi/api-document.ts';
import { membersOf } from '../../../plugins/openapi/schema-members.ts';
import { ALL_PERMISSIONS } from '../../kit/all-permissions.ts';
import { RUNS } from '../../kit/property-runs.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

/**
 * Some handlers check a body themselves and publish a separate schema (`bodyShown`). These tests compare the two: the
 * same members, and no accepted body that contradicts the schema.
 */
const SHOWN: Readonly<Record<string, string>> = {
  'post /v1/facts': '/v1/facts',
  'post /v1/facts/batch': '/v1/facts/batch',
  'post /v1/recall': '/v1/recall',
  'post /v1/conflicts/{id}/resolve': '/v1/conflicts/svc:conflict:none/resolve',
  'put /v1/agents/{agent_id}/instruction-manifest': '/v1/agents/a1/instruction-manifest',
};

type Violations = readonly { readonly path: string; readonly message: string }[];

const UNKNOWN = 'zz_nobody_has_this';

describe('the bodies that the reference shows', () => {
  let node: TestNode;
  let document: ApiDocument;
  let key: string;
  let ajv: Ajv2020;
  before(async () => {
    node = await startTestNode();
    key = await node.addKey({ entityUri: 'agent:shown', permissions: ALL_PERMISSIONS });
    document = (await node.request('GET', '/openapi.json')).body as ApiDocument;
    ajv = new Ajv2020({ strict: false, logger: false });
    ajv.addFormat('date-time', (text: string) => parseInstant(text) !== null);
    ajv.addSchema({ ...document, $id: 'api' });
  });
  after(() => node.stop());

  const shownOf = (route: string): JsonSchema => {
    const [method = '', path = ''] = route.split(' ');
    return document.paths[path]?.[method]?.requestBody?.content['application/json']?.schema as JsonSchema;
  };

  const resolved = (schema: JsonSchema): JsonSchema => {
    const { $ref: reference, anyOf } = schema;
    if (typeof reference === 'string') return document.components.schemas[reference.split('/').at(-1) ?? ''] ?? {};
    const choices = ((anyOf ?? []) as readonly JsonSchema[]).filter(({ type }) => type !== 'null');
    return choices.length === 1 ? resolved(choices[0] ?? {}) : schema;
  };

  /** Returns a value with every member of the schema, each null or nested in the same way, and one unknown member. */
  const everyMember = (shown: JsonSchema): unknown => {
    const schema = resolved(shown);
    const items = schema['items'] as JsonSchema | undefined;
    if (items !== undefined && Object.keys(membersOf(resolved(items))).length > 0) return [everyMember(items)];
    const members = Object.entries(membersOf(schema));
    if (members.length === 0) return null;
    return { ...Object.fromEntries(members.map(([name, member]) => [name, everyMember(member)])), [UNKNOWN]: 1 };
  };

  const isUnknown = ({ message }: Violations[number]): boolean => /not a known member/.test(message);

  for (const [route, target] of Object.entries(SHOWN)) {
    it(`list the members that the node knows: ${route}`, async () => {
      const method = route.split(' ')[0]?.toUpperCase() ?? '';
      // The handler checks the entries of a manifest only if the rest is valid.
      const entries = membersOf(shownOf(route))['entries'];
      const body =
        entries === undefined ? everyMember(shownOf(route)) : { version: 'v1', entries: everyMember(entries) };
      const reply = await node.request(method, target, { key, body });
      const { errors } = (Array.isArray(body) ? reply.body.results[0].error : reply.body) as { errors: Violations };
      const unknown = errors.filter(isUnknown).map(({ path }) => path);
      // The handler checks the weights of a recall only if the rest is valid.
      const places = route.endsWith('/recall') ? 1 : JSON.stringify(body).split(UNKNOWN).length - 1;
      expect(unknown, reply.text).to.have.length(places);
      expect(unknown.filter((path) => !path.endsWith(`.${UNKNOWN}`))).to.deep.equal([]);
    });
  }

  const check = (route: string): ValidateFunction => {
    const [method = '', path = ''] = route.split(' ');
    const place = path.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D');
    return ajv.compile({ $ref: `api#/paths/${place}/${method}/requestBody/content/application~1json/schema` });
  };

  const FACT = {
    entity: 'user:shown',
    relation: 'memory:role',
    value: { type: 'string', v: 'archivist' },
    source: 'agent:shown',
  };
  const SAMPLES: Readonly<Record<string, readonly unknown[]>> = {
    value: [
      { type: 'null' },
      { type: 'text', v: 'x', interpret_as: 'content' },
      { type: 'number', v: 1e21 },
      { type: 'boolean', v: true, interpret_as: null },
      { type: 'text', v: 'x', interpret_as: 'instruction' },
      { type: 'ref', v: 'user:b' },
      { type: 'datetime', v: '2026-03-02' },
      { type: 'word', v: 1 },
    ],
    confidence: [0, 0.5, 1, 2],
    scope: ['local', 'public', 'all'],
    valid_until: ['2030-01-01T00:00:00Z', '2030-01-01T00:00:00+01:00', 'soon'],
    timestamp: ['2026-01-01T00:00:00Z', 'then'],
    write_mode: ['assert', 'summarize_with_provenance', 'other'],
    derived_from: [
      [],
      ['ab'.repeat(32)],
      [`sha256:${'AB'.repeat(32)}`, { fact_id: 'x' }, { hash: 'ab'.repeat(32), fact_id: null }],
      ['x'],
    ],
    id: ['x', 7],
    session_id: ['', 'other'],
    garden_id: ['own'],
    attestation: [{ key_id: 'x', signature: 'y' }],
  };

  it('accept every assertion that the node accepts', async () => {
    const isShown = check('post /v1/facts');
    const member = fc.constantFrom(...Object.keys(SAMPLES), 'entity', 'relation', 'source', 'hlc');
    const odd = fc.oneof(fc.constant(null), fc.jsonValue({ maxDepth: 1 }));
    const change = member.chain((name) =>
      fc.tuple(fc.constant(name), SAMPLES[name] === undefined ? odd : fc.oneof(fc.constantFrom(...SAMPLES[name]), odd)),
    );
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 3 }), async (changes) => {
        const body = { ...FACT, ...Object.fromEntries(changes) };
        const { status } = await node.request('POST', '/v1/facts', { key, body });
        if (status !== 201) return;
        taken += 1;
        expect(isShown(body), JSON.stringify([body, isShown.errors])).to.equal(true);
      }),
      { numRuns: RUNS },
    );
    expect(taken).to.be.above(0);
  });

  it('accept every query that the node accepts', async () => {
    const isShown = check('post /v1/recall');
    const samples: Readonly<Record<string, readonly unknown[]>> = {
      query: ['lantern', ''],
      entity: ['user:shown'],
      relation: ['memory:role'],
      scope: ['global', 'public', 'garden:x', 'no'],
      depth: [0, 2, 3],
      weights: [{ lexical: 1 }, { lex: 0.5, vec: 0.5, graph: null }, { vector: 2 }, {}],
      lambda_mmr: [0, 1, 2],
      min_confidence: [0, 1],
      limit: [1, 500, 501],
      include_neighbors: [false],
      include_contradicted: [true],
      force_refresh: [true],
      as_of: ['2026-03-02T09:00:00Z', 'then'],
      token_budget: [1, 0],
    };
    const change = fc
      .constantFrom(...Object.keys(samples))
      .chain((name) => fc.tuple(fc.constant(name), fc.constantFrom(null, ...(samples[name] ?? []))));
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 3 }), async (changes) => {
        const body = { query: 'lantern', token_budget: 200, ...Object.fromEntries(changes) };
        const { status } = await node.request('POST', '/v1/recall', { key, body });
        if (status !== 200) return;
        taken += 1;
        expect(isShown(body), JSON.stringify([body, isShown.errors])).to.equal(true);
      }),
      { numRuns: RUNS },
    );
    expect(taken).to.be.above(0);
  });

  it('accept a manifest that the node accepts, and reject one that it rejects', async () => {
    const isShown = check('put /v1/agents/{agent_id}/instruction-manifest');
    const entry = {
      name: 'deploy',
      description: 'How to deploy',
      fact_uri: 'instruction:default/agent/a1/deploy/v1',
      cid: null,
      path: null,
      load_triggers: { intents: ['deploy'], keywords: null },
      guarantee_load: true,
      force_position: 'prepend',
      required_by_task_types: [],
    };
    const publish = (version: string, more: object) => {
      const body = { version, entries: [{ ...entry, ...more }], skip_coverage_gate: true };
      return { body, reply: node.request('PUT', '/v1/agents/a1/instruction-manifest', { key, body }) };
    };
    const good = publish('v1', {});
    expect((await good.reply).status).to.equal(200);
    expect(isShown(good.body), JSON.stringify(isShown.errors)).to.equal(true);
    const wrong = [
      { path: '/etc' },
      { token_estimate: -1 },
      { name: 7 },
      { load_triggers: { words: [] } },
      { cid: 'x' },
    ];
    for (const [at, more] of wrong.entries()) {
      const bad = publish(`v2-${at}`, more);
      expect((await bad.reply).status, JSON.stringify(more)).to.equal(422);
      expect(isShown(bad.body), JSON.stringify(more)).to.equal(false);
    }
  });

  it('are all covered by these tests', () => {
    const { paths } = document;
    const open = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { requestBody }]) => {
        const schema = requestBody?.content['application/json']?.schema;
        if (schema === undefined) return [];
        const shown = resolved(schema['type'] === 'array' ? (schema['items'] as JsonSchema) : schema);
        return Object.keys(membersOf(shown)).length === 0 ? [`${method} ${path}`] : [];
      }),
    );
    expect(open, 'bodies without listed members').to.deep.equal([]);
  });
});
