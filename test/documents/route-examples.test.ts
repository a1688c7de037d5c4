import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { PLUGIN_CATALOG } from '../../config/plugin-catalog.ts';
import type { DescribedRoute } from '../../kernel/description/node-description.ts';
import type { Components } from '../../kernel/internal-api.ts';
import type { JsonSchema } from '../../kernel/plugin-api.ts';
import { startTestNode } from '../kit/start-test-node.ts';

/** Routes that a switch registers are there too. */
const ALL_ROUTES = {
  plugins: Object.keys(PLUGIN_CATALOG),
  env: { SVC_MULTI_TENANT_ENABLED: 'true' },
  settings: { oidc: { enabled: true, issuerUrl: 'https://login.example.com', audience: 'fact-memory' } },
};

/** Parameters come as text, and a list may be one text. */
const ajv = new Ajv2020({ strict: false, coerceTypes: 'array', validateFormats: false, useDefaults: false });

const undeclared = (schema: JsonSchema | undefined, value: object = {}): string[] =>
  Object.keys(value).filter((name) => !Object.hasOwn((schema?.['properties'] as object) ?? {}, name));

const nameOf = ({ method, path }: DescribedRoute): string => `${method} ${path}`;

describe('The examples of routes', () => {
  let routes: readonly DescribedRoute[];
  let schemas: Components;

  const problemsOf = (schema: JsonSchema, value: unknown): string[] => {
    const copy = structuredClone(value);
    // References are spelled as in the document.
    return ajv.validate({ ...schema, components: { schemas } }, copy) ? [] : [ajv.errorsText()];
  };

  before(async () => {
    const { node, stop } = await startTestNode(ALL_ROUTES);
    ({ routes, components: schemas } = await node.describe());
    await stop();
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
