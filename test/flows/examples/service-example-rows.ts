import type { ExampleRow } from './example-row.ts';
import { addJob, drawPublicKey, makeTenant, makeTombstone, registerKey } from './prepare.ts';
import type { Stage } from './stage.ts';

const ofJob = async (stage: Stage) => ({ params: { id: await addJob(stage) } });
const ofKey = async (stage: Stage) => ({ params: { id: await registerKey(stage) } });
const ofTenant = async (stage: Stage) => ({ params: { id: await makeTenant(stage) } });
const freshKey = ({ unique }: Stage): string => `raw-key-${unique()}`;

const KEYS: readonly ExampleRow[] = [
  { route: 'GET /v1/me' },
  { route: 'GET /v1/me/limits' },
  { route: 'GET /v1/auth/keys' },
  { route: 'POST /v1/auth/keys', prepare: async (stage) => ({ body: { raw_key: freshKey(stage) } }) },
  { route: 'GET /v1/auth/keys/expiring-soon' },
  {
    route: 'POST /v1/auth/keys/:id/rotate',
    prepare: async (stage) => ({ ...(await ofKey(stage)), body: { raw_key: freshKey(stage) } }),
  },
  { route: 'DELETE /v1/auth/keys/:id', prepare: ofKey },
  { route: 'GET /v1/auth/agent-keys' },
  { route: 'POST /v1/auth/agent-keys', prepare: async (stage) => ({ body: { public_key: drawPublicKey(stage) } }) },
  {
    route: 'DELETE /v1/auth/agent-keys/:id',
    async prepare(stage) {
      const body = { public_key: drawPublicKey(stage) };
      return { params: { id: (await stage.ask('POST', '/v1/auth/agent-keys', { body })).id } };
    },
  },
  {
    route: 'POST /v1/auth/oidc/exchange',
    prepare: async ({ idToken }) => ({ body: { id_token: await idToken() } }),
  },
  { route: 'GET /.well-known/oauth-protected-resource' },
];

const JOBS: readonly ExampleRow[] = [
  { route: 'GET /v1/jobs' },
  { route: 'GET /v1/jobs/:id', prepare: ofJob },
  { route: 'GET /v1/lint/jobs/:id', prepare: ofJob },
  { route: 'GET /v1/decay/jobs/:id', prepare: ofJob },
  { route: 'DELETE /v1/jobs/:id', prepare: ofJob },
  {
    route: 'POST /v1/jobs/:id/resume',
    async prepare(stage) {
      const id = await addJob(stage);
      await stage.ask('DELETE', `/v1/jobs/${id}`);
      return { params: { id } };
    },
  },
];

const TENANTS: readonly ExampleRow[] = [
  { route: 'GET /v1/tenants' },
  {
    route: 'POST /v1/tenants',
    prepare: async (stage) => ({
      body: { id: `acme-${stage.unique()}`, first_key: { raw_key: freshKey(stage), entity_uri: 'user:alice' } },
    }),
  },
  { route: 'GET /v1/tenants/:id', prepare: ofTenant },
  { route: 'PATCH /v1/tenants/:id', prepare: ofTenant },
  { route: 'GET /v1/tenants/:id/export', prepare: ofTenant },
  {
    route: 'DELETE /v1/tenants/:id',
    async prepare(stage) {
      const id = await makeTenant(stage);
      return { params: { id }, body: { confirm: id } };
    },
  },
];

const TOMBSTONES: readonly ExampleRow[] = [
  {
    route: 'POST /v1/tombstones',
    prepare: async ({ unique }) => ({ body: { entity_uri: `user:bob-${unique()}` } }),
  },
  { route: 'GET /v1/tombstones' },
  { route: 'GET /v1/tombstones/*entity_uri' },
  {
    route: 'POST /v1/tombstones/:id/revoke',
    prepare: async (stage) => ({ params: { id: (await makeTombstone(stage)).id } }),
  },
  {
    route: 'POST /v1/tombstones/:id/erase',
    async prepare(stage) {
      const { id, of } = await makeTombstone(stage);
      return { params: { id }, body: { confirm: of } };
    },
  },
  { route: 'POST /v1/subjects/export' },
];

/** Routes for keys, for operators and for programs that watch a node. */
export const SERVICE_EXAMPLE_ROWS: readonly ExampleRow[] = [
  ...KEYS,
  ...JOBS,
  ...TENANTS,
  ...TOMBSTONES,
  { route: 'GET /' },
  { route: 'GET /spec' },
  { route: 'GET /console' },
  { route: 'GET /console/' },
  { route: 'GET /console/*place' },
  { route: 'GET /console/setup.json' },
  { route: 'GET /console/sign-in.json' },
  {
    route: 'GET /console/files/:name',
    async prepare({ url }) {
      const page = await (await fetch(`${url}/console/`)).text();
      return { params: { name: /files\/([^"]+)/.exec(page)?.[1] ?? '' } };
    },
  },
  { route: 'GET /openapi.json' },
  { route: 'GET /v1/openapi.json' },
  { route: 'GET /.well-known/svc' },
  { route: 'GET /healthz' },
  { route: 'GET /readyz' },
  { route: 'POST /v1/mcp' },
  { route: 'POST /v1/imports' },
  { route: 'GET /v1/metrics' },
  { route: 'GET /v1/node' },
  { route: 'GET /v1/audit' },
  { route: 'GET /v1/audit/use' },
  { route: 'GET /v1/audit/export' },
  { route: 'GET /v1/audit/verify' },
  { route: 'GET /v1/auth/audit' },
  { route: 'GET /v1/admin/audit' },
  { route: 'GET /v1/admin/billing/events' },
  { route: 'GET /v1/admin/reindex' },
  { route: 'POST /v1/admin/reindex' },
  { route: 'GET /v1/backups' },
  { route: 'POST /v1/backups' },
  { route: 'GET /v1/namespaces' },
  { route: 'PUT /v1/namespaces' },
  {
    route: 'DELETE /v1/namespaces',
    async prepare({ ask, unique }) {
      const pattern = `svc://alpha.example.com/project/${unique()}/*`;
      await ask('PUT', '/v1/namespaces', { body: { pattern, owners: ['user:alice'] } });
      return { query: { pattern } };
    },
  },
  { route: 'GET /v1/connect/clients' },
  { route: 'GET /v1/relations' },
  {
    route: 'POST /v1/relations',
    async prepare({ unique }) {
      return { body: { pattern: `memory:${unique()}`, values: 'many' } };
    },
  },
  { route: 'PUT /v1/relations' },
  {
    route: 'DELETE /v1/relations',
    async prepare({ ask, unique }) {
      const pattern = `memory:${unique()}`;
      await ask('PUT', '/v1/relations', { body: { pattern, values: 'many' } });
      return { query: { pattern } };
    },
  },
  { route: 'GET /v1/upkeep' },
  { route: 'POST /v1/upkeep/:task/run' },
];
