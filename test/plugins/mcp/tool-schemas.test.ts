import { expect } from 'chai';
import { startTestNode } from '../../kit/start-test-node.ts';
import { LIST_BOUNDS, partsOf, REFUSED_PARTS, type ShownSchema } from './client-rules.ts';
import { connectClient } from './mcp-kit.ts';

describe('the schemas of all tools', () => {
  let tools: Awaited<ReturnType<Awaited<ReturnType<typeof connectClient>>['listTools']>>['tools'];
  before(async () => {
    const node = await startTestNode({ settings: { mcp: { profile: 'extended' } } });
    try {
      const client = await connectClient(node, await node.addKey());
      ({ tools } = await client.listTools());
      await client.close();
    } finally {
      await node.stop();
    }
  });

  for (const [client, rules] of Object.entries(REFUSED_PARTS)) {
    it(`contain no keyword that ${client} refuses or misinterprets`, () => {
      const refused = tools.flatMap(({ name, inputSchema }) =>
        partsOf(inputSchema as ShownSchema).flatMap((part) =>
          Object.entries(rules).flatMap(([reason, refuses]) =>
            refuses(part) ? `${name}: ${JSON.stringify(part.schema)} ${reason}` : [],
          ),
        ),
      );
      expect(refused).to.deep.equal([]);
    });
  }

  it('fit the bounds of names, descriptions and members of every client', () => {
    expect(tools.length).to.be.at.most(LIST_BOUNDS.tools);
    for (const { name, description, inputSchema } of tools) {
      expect(name).to.match(LIST_BOUNDS.namePattern).and.have.lengthOf.at.most(LIST_BOUNDS.nameLength);
      expect(description).to.be.a('string').and.have.lengthOf.within(1, LIST_BOUNDS.descriptionLength);
      const members = partsOf(inputSchema as ShownSchema).map(({ schema }) => Object.keys(schema.properties ?? {}));
      expect(members.flat(), name).to.have.lengthOf.at.most(LIST_BOUNDS.members);
      expect(inputSchema, name).to.include({ type: 'object' }).and.have.property('properties');
      const { required = [], properties = {} } = inputSchema;
      expect(Object.keys(properties), name).to.include.members(required);
    }
  });
});
