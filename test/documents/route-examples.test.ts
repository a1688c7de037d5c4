import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { PLUGIN_CATALOG } from '../../config/plugin-catalog.ts';
import type { DescribedRoute } from '../../kernel/description/node-description.ts';
import type { Components } from '../../kernel/internal-api.ts';
import type { JsonSchema } from '../../kernel/plugin-api.ts';
import { startTestNode } from '../kit/start-test-node.ts';

/** Settings that enable every optional route. */
const ALL_ROUTES = {
  plugins: Object.keys(PLUGIN_CATALOG),
  env: { SVC_MULTI_TENANT_ENABLED: 'true' },
  settings: {
    oauth: { enabled: true, insecure: true },
    oidc: { enabled: true, issuerUrl: 'https://login.example.com', audience: 'fact-memory', clientId: 'memory' },
  },
};

/** Parameters arrive as text, and a list of one value arrives as that value alone. */
const ajv = new Ajv2020({ strict: false, coerceTypes: 'array', validateFormats: false, useDefaults: false });

const undeclared = (schema: JsonSchema | undefined, value: object = {}): string[] =>
  Object.keys(value).filter((name) => !Object.hasOwn((schema?.['properties'] as object) ?? {}, name));

const nameOf = ({ method, path }: DescribedRoute): string => `${method} ${path}`;

describe('The examples of routes', () => {
  let routes: readonly DescribedRoute[];
  let schemas: Components;

  const problemsOf = (schema: JsonSchema, value: unknown): string[] => {
    const copy = structuredClone(value);
    // References have the form of the OpenAPI document.
    return ajv.validate({ ...schema, components: { schemas } }, copy) ? [] : [ajv.errorsText()];
  };

  before(async () => {
    const { node, stop } = await startTestNode(ALL_ROUTES);
    ({ routes, components: schemas } = await node.describe());
    await stop();
  });

  const faults = (find: (route: DescribedRoute, example: NonNullable<DescribedRoute['example']>) => string[]) =>
    routes.flatMap((route) => find(route, route.example ?? {}).map((fault) => `${nameOf(route)}: ${fault}`));

  it('exist for every route of the bundled plugins', () => {
    expect(routes.filter(({ example }) => example === undefined).map(nameOf)).to.deep.equal([]);
  });

  it('contain every path parameter, and no other', () => {
    expect(
      faults(({ path }, { params = {} }) => {
        const names = [...path.matchAll(/[:*]([a-z_]+)/g)].map(([, name = '']) => name);
        return Object.keys(params).sort().join() === names.sort().join() ? [] : [`${Object.keys(params)}`];
      }),
    ).to.deep.equal([]);
  });

  it('contain parameters and bodies that match their schemas', () => {
    expect(
      faults(({ params, query, body, item, bodyForm }, example) => [
        ...(params === undefined ? [] : problemsOf(params, example.params ?? {})),
        ...(query === undefined ? [] : problemsOf(query, example.query ?? {})),
        ...undeclared(query, example.query),
        ...((bodyForm === 'json' || bodyForm === 'form') && body !== undefined && example.body !== undefined
          ? [...problemsOf(body, example.body), ...(body['properties'] ? undeclared(body, example.body as object) : [])]
          : []),
        ...(bodyForm === 'items' && item !== undefined ? problemsOf({ type: 'array', items: item }, example.body) : []),
      ]),
    ).to.deep.equal([]);
  });

  it('contain a body exactly if the route accepts one', () => {
    expect(
      faults(({ bodyForm }, { body }) =>
        (bodyForm === 'none') === (body === undefined) ? [] : [`its body has the form ${bodyForm}`],
      ),
    ).to.deep.equal([]);
  });

  it('lead to an answer that their route declares', () => {
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
