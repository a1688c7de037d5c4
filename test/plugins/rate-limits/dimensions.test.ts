import { expect } from 'chai';
import { DIMENSIONS } from '../../../plugins/rate-limits/rate-limits-api.ts';
import { readQuotas, SPEC_QUOTAS } from '../../../plugins/rate-limits/read-quotas.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { thrownError } from '../../kit/thrown-error.ts';

/** The routes that count in each dimension. */
const COUNTED: Readonly<Record<string, readonly string[]>> = {
  fact_write: ['POST /v1/facts', 'POST /v1/facts/batch', 'POST /v1/conflicts/*id/resolve', 'POST /v1/decay/sweep'],
  fact_read: [
    'GET /v1/facts',
    'GET /v1/facts/:id',
    'GET /v1/entities/kinds',
    'GET /v1/facts/:id/provenance',
    'POST /v1/facts/:id/verify-cid',
    'GET /v1/cards/*entity_uri',
    'GET /v1/synthesis',
    'POST /v1/synthesis',
    'GET /v1/scopes/:scope/synthesize',
    'GET /v1/history/*entity_uri',
    'GET /v1/facts/:id/history',
    'GET /v1/timeline',
    'GET /v1/changes',
  ],
  token_issue: ['POST /v1/federation/capability-tokens'],
  recall: ['POST /v1/recall', 'GET /v1/recall'],
  graph_query: ['GET /v1/graph/neighbors'],
  subscription_create: ['POST /v1/subscriptions'],
  admin_action: [
    'POST /v1/auth/keys',
    'POST /v1/auth/keys/:id/rotate',
    'DELETE /v1/auth/keys/:id',
    'POST /v1/relations',
    'PUT /v1/relations',
    'DELETE /v1/relations',
  ],
  federation_pull: ['GET /v1/federation/facts', 'GET /v1/federation/tombstones'],
};
const ADMINISTRATION = /^\/v1\/(admin|backups|namespaces|subjects|tenants|tombstones|upkeep)(\/|$)/;

describe('The dimensions of quotas', () => {
  let node: TestNode;
  before(async () => {
    node = await startTestNode();
  });
  after(() => node.stop());

  it('are counted by the documented routes, and no other route counts', async () => {
    const { routes } = await node.node.describe();
    const expected = new Map(Object.entries(COUNTED).flatMap(([dimension, all]) => all.map((one) => [one, dimension])));
    const wrong = routes.filter(({ method, path, dimension }) => {
      const named = expected.get(`${method} ${path}`) ?? (ADMINISTRATION.test(path) ? 'admin_action' : undefined);
      // The token exchange is exempt: it counts for the person in the token, who is unknown before the request.
      return dimension !== named && path !== '/v1/auth/oidc/exchange';
    });
    expect(wrong.map(({ method, path, dimension }) => `${method} ${path} ${dimension}`)).to.deep.equal([]);
    const names = new Set(routes.map(({ method, path }) => `${method} ${path}`));
    expect([...expected.keys()].filter((name) => !names.has(name))).to.deep.equal([]);
  });

  it('all have a recommended quota', () => {
    expect(Object.keys(SPEC_QUOTAS)).to.deep.equal([...DIMENSIONS]);
  });
});

describe('A setting of quotas', () => {
  it('lists numbers by dimension, with commas or spaces, or changes the recommended list', () => {
    expect(readQuotas('')).to.deep.equal(new Map());
    expect(readQuotas('fact_write=100, recall=20\tgraph_query=1')).to.deep.equal(
      new Map([
        ['fact_write', 100],
        ['recall', 20],
        ['graph_query', 1],
      ]),
    );
    expect(readQuotas(' spec ')).to.deep.equal(new Map(Object.entries(SPEC_QUOTAS)));
    expect(readQuotas('recall=5,spec')).to.deep.equal(new Map(Object.entries({ ...SPEC_QUOTAS, recall: 5 })));
  });

  const unfit = [
    'all',
    'Spec',
    'fact_write',
    'fact_write=',
    'fact_write=0',
    'fact_write=-1',
    'fact_write=1.5',
    'fact_write=1e3',
    'fact_write=0x10',
    'fact_write=99999999',
    'fact_write=unlimited',
    'fact_writes=100',
    'fact_write:100',
    'fact_write=1=2',
    'fact_write=1,fact_write=1',
    'constructor=5',
  ];
  for (const text of unfit) {
    it(`stops the start with the name of its variable when it is "${text}"`, async () => {
      const error = await startTestNode({ env: { SVC_RATE_LIMITS: text } }).then(
        async (started) => {
          await started.stop();
          throw new Error('the node started');
        },
        (refused: Error) => refused,
      );
      expect(error.message).to.contain('SVC_RATE_LIMITS').and.contain('fact_write=100,recall=200');
      expect(thrownError(() => readQuotas(text))).to.have.property('code', 'validation');
    });
  }
});
