import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { createNode } from '../../config/create-node.ts';
import type { DescribedNode, DescribedRoute } from '../../kernel/description/node-description.ts';
import type { JsonSchema } from '../../kernel/plugin-api.ts';
import { createMemoryLogger } from '../fakes/memory-logger.ts';

/** Routes that a switch registers are there too. */
const SWITCHES = {
  env: { SVC_MULTI_TENANT_ENABLED: 'true' },
  oidc: { enabled: true, issuerUrl: 'https://login.example.com', audience: 'fact-memory' },
};

const describeAllRoutes = async (): Promise<DescribedNode> => {
  const folder = await mkdtemp(join(tmpdir(), 'examples-'));
  const node = await createNode({
    env: SWITCHES.env,
    overrides: { adapters: { store: { path: join(folder, 'node.db') } }, plugins: { oidc: SWITCHES.oidc } },
    adapters: { log: createMemoryLogger([]) },
  });
  try {
    return await node.describe();
  } finally {
    await node.stop();
    await rm(folder, { recursive: true, force: true });
  }
};

/** Parameters come as text, and a list may be one text. */
const ajv = new Ajv2020({ strict: false, coerceTypes: 'array', validateFormats: false, useDefaults: false });

const problemsOf = (schema: JsonSchema, value: unknown): string[] => {
  const copy = structuredClone(value);
  return ajv.validate(schema, copy) ? [] : [ajv.errorsText()];
};

const undeclared = (schema: JsonSchema | undefined, value: object = {}): string[] =>
  Object.keys(value).filter((name) => !Object.hasOwn((schema?.['properties'] as object) ?? {}, name));

const nameOf = ({ method, path }: DescribedRoute): string => `${method} ${path}`;

describe('The examples of routes', () => {
  let routes: readonly DescribedRoute[];

  before(async () => {
    ({ routes } = await describeAllRoutes());
  });

  const faults = (find: (route: DescribedRoute, example: NonNullable<DescribedRoute['example']>) => string[]) =>
    routes.flatMap((route) => find(route, route.example ?? {}).map((fault) => `${nameOf(route)}: ${fault}`));

  it('are there for every route of our own plugins', () => {
    expect(routes.filter(({ example }) => example === undefined).map(nameOf)).to.deep.equal([]);
  });

  it('give every parameter of the path, and no other', () => {
    expect(
      faults(({ path }, { params = {} }) => {
        const names = [...path.matchAll(/[:*]([a-z_]+)/g)].map(([, name = '']) => name);
        return Object.keys(params).sort().join() === names.sort().join() ? [] : [`${Object.keys(params)}`];
      }),
    ).to.deep.equal([]);
  });

  it('give parameters and bodies that their schemas describe', () => {
    expect(
      faults(({ params, query, body, item, bodyForm }, example) => [
        ...(params === undefined ? [] : problemsOf(params, example.params ?? {})),
        ...(query === undefined ? [] : problemsOf(query, example.query ?? {})),
        ...undeclared(query, example.query),
        ...(bodyForm === 'json' && body !== undefined && example.body !== undefined
          ? [...problemsOf(body, example.body), ...(body['properties'] ? undeclared(body, example.body as object) : [])]
          : []),
        ...(bodyForm === 'items' && item !== undefined ? problemsOf({ type: 'array', items: item }, example.body) : []),
      ]),
    ).to.deep.equal([]);
  });

  it('show a body wherever the route takes one, and nowhere else', () => {
    expect(
      faults(({ bodyForm }, { body }) =>
        (bodyForm === 'none') === (body === undefined) ? [] : [`its body has the form ${bodyForm}`],
      ),
    ).to.deep.equal([]);
  });

  it('bring an answer that their route declares', () => {
    expect(
      faults(({ answers }, { status }) =>
        status === undefined || Object.hasOwn(answers, status) ? [] : [`${status} is not declared`],
      ),
    ).to.deep.equal([]);
  });

  it('name no real host', () => {
    expect(
      faults((_, example) =>
        [...JSON.stringify(example).matchAll(/[a-z0-9-]+\.(?:com|org|net|io|dev|eu)\b/g)]
          .map(([host]) => host)
          .filter((host) => !/^example\.(?:com|org)$/.test(host)),
      ),
    ).to.deep.equal([]);
  });
});
