import type { DescribedNode, DescribedSeal, ReadReplica } from '../../kernel/internal-api.ts';
import {
  BOOLEAN_JSON,
  COUNT_JSON,
  DEFAULT_TENANT,
  type JsonSchema,
  listOf,
  type NodeDescription,
  objectOf,
  orNull,
  type Principal,
  type Route,
  ServiceError,
  STRING_JSON,
} from '../../kernel/plugin-api.ts';

const ANY_VALUE: JsonSchema = {};

const NODE_JSON = objectOf({
  contents: objectOf({
    sealed: { ...BOOLEAN_JSON, description: 'Whether the store is sealed with a key of the operator.' },
    key_id: { ...orNull(STRING_JSON), description: 'The id of that key, which may be shown.' },
  }),
  replicas: {
    ...listOf(
      objectOf({
        address: STRING_JSON,
        in_use: { ...BOOLEAN_JSON, description: 'Whether reads may go to it now.' },
        reason: { ...orNull(STRING_JSON), description: 'Why it is left out.' },
        lag_bytes: {
          ...orNull(COUNT_JSON),
          description: 'Bytes of the log of the primary that it has not replayed yet; null where that is unknown.',
        },
        reads: { ...COUNT_JSON, description: 'Reads that it has served since the process began.' },
        reads_on_primary: {
          ...COUNT_JSON,
          description: 'Reads that the primary has served in its place, because it lagged or was left out.',
        },
      }),
    ),
    description: 'The replicas that may serve reads, as the process knows them that replies.',
  },
  plugins: listOf(
    objectOf({
      name: STRING_JSON,
      enabled: BOOLEAN_JSON,
      version: STRING_JSON,
      summary: STRING_JSON,
      requires: listOf(STRING_JSON),
      provides: listOf(STRING_JSON),
    }),
  ),
  routes: listOf(
    objectOf({
      method: STRING_JSON,
      path: STRING_JSON,
      plugin: STRING_JSON,
      summary: STRING_JSON,
      access: STRING_JSON,
      dimension: orNull(STRING_JSON),
    }),
  ),
  settings: listOf(
    objectOf({
      owner: STRING_JSON,
      key: STRING_JSON,
      variable: orNull(STRING_JSON),
      value: { ...ANY_VALUE, description: 'A secret is shown as `(set)` or `(not set)`.' },
      origin: STRING_JSON,
      description: STRING_JSON,
      accepts: STRING_JSON,
    }),
  ),
});

/**
 * `GET /v1/node`: describes the parts of the node. Only the operator's tenant may read it, because it covers all
 * tenants.
 */
export const nodeRoute = (description: NodeDescription): Route => ({
  method: 'GET',
  path: '/v1/node',
  summary: 'Plugins, routes and settings of the node, the seal and the replicas of its store, for its operator',
  access: { permission: 'admin' },
  answers: { 200: { json: NODE_JSON } },
  example: {},
  async handle({ caller }) {
    requireOperator(caller);
    const [described, seal] = [await description.read(), await description.readSeal()];
    return { status: 200, body: nodeJson(described, seal, await description.readReplicas()) };
  },
});

const requireOperator = ({ kind, tenantId }: Principal): void => {
  if (kind !== 'node' && tenantId !== DEFAULT_TENANT) {
    throw new ServiceError('authorization', `the parts of a node are shown to the tenant ${DEFAULT_TENANT} alone`);
  }
};

const nodeJson = (
  { plugins, routes, settings }: DescribedNode,
  { isSealed, keyId }: DescribedSeal,
  replicas: readonly ReadReplica[],
): Record<string, unknown> => ({
  contents: { sealed: isSealed, key_id: keyId },
  replicas: replicas.map(({ address, leftOut, lagBytes, reads, readsOnPrimary }) => ({
    address,
    in_use: leftOut === null,
    reason: leftOut,
    lag_bytes: lagBytes,
    reads,
    reads_on_primary: readsOnPrimary,
  })),
  plugins,
  routes: routes.map(({ method, path, plugin, summary, access, dimension = null }) => ({
    method,
    path,
    plugin,
    summary,
    access,
    dimension,
  })),
  settings: settings.map(({ owner, key, variable = null, value = null, origin, description, accepts }) => ({
    owner,
    key,
    variable,
    value,
    origin,
    description,
    accepts,
  })),
});
