import type { LanguageTemplate } from './plugin-files.ts';

const PLUGIN = `import { definePlugin, factCommitted, listOf, objectOf, schema, STRING_JSON } from 'fact-memory-node/plugin';

export const EXPORT = definePlugin({
  name: 'NAME',
  version: '0.1.0',
  kernelApi: 1,
  summary: 'Lists the facts that were stored last',
  config: schema({
    type: 'object',
    additionalProperties: false,
    properties: {
      most: { type: 'integer', minimum: 1, maximum: 100, default: 10, description: 'how many facts are listed' },
    },
  }),
  setup({ config, on, route }) {
    let recent = [];
    on(factCommitted, ({ facts }) => {
      recent = [...recent, ...facts.map(({ fact }) => fact.id)].slice(-config.most);
    });
    route({
      method: 'GET',
      path: '/v1/NAME/recent',
      summary: 'Ids of the facts that were stored last',
      access: { permission: 'admin' },
      answers: { 200: { json: objectOf({ ids: listOf(STRING_JSON) }) } },
      handle: () => ({ status: 200, body: { ids: recent } }),
    });
  },
});
`;

/** A separate constant, because tools would otherwise take the text for an import of this module. */
const IMPORT_TESTING = "import { describePlugin, startTestNode } from 'fact-memory-node/testing';";

const TEST = `import { deepEqual, equal } from 'node:assert/strict';
${IMPORT_TESTING}
import { EXPORT } from './NAME-plugin.mjs';

describePlugin({ plugin: EXPORT });

describe('NAME', () => {
  it('lists the facts that were stored last', async function () {
    this.timeout(60_000);
    const node = await startTestNode({ extra: [EXPORT], settings: { 'NAME': { most: 2 } } });
    try {
      const key = await node.addKey({ permissions: ['read', 'write', 'admin'] });
      const stored = [];
      for (const entity of ['user:alice', 'user:bob', 'user:carol']) {
        const body = { entity, relation: 'memory:role', value: { type: 'string', v: 'CEO' }, source: 'agent:me' };
        const reply = await node.request('POST', '/v1/facts', { key, body });
        equal(reply.status, 201);
        stored.push(reply.body.id);
      }
      const listed = await node.request('GET', '/v1/NAME/recent', { key });
      deepEqual(listed.body.ids, stored.slice(-2));
    } finally {
      await node.stop();
    }
  });
});
`;

export const JAVASCRIPT: LanguageTemplate = {
  module: 'NAME-plugin.mjs',
  scripts: { test: 'mocha "*.test.mjs"' },
  devDependencies: {},
  files: { 'NAME-plugin.mjs': PLUGIN, 'NAME-plugin.test.mjs': TEST },
};
