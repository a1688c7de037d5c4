import { expect } from 'chai';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

describe('a recall of names and numbers in other spellings', () => {
  let node: TestNode;
  let key: string;
  before(async () => {
    node = await startTestNode({ plugins: ['keys', 'facts', 'conflicts', 'recall', 'search'] });
    key = await node.addKey();
    for (const [at, v] of [...FOUND.map(([text]) => text), ...OTHERS].entries()) {
      const body = { entity: `note:${at}`, relation: 'memory:text', value: { type: 'text', v }, source: 'user:test' };
      const reply = await node.request('POST', '/v1/facts', { key, body: { ...body, scope: 'company' } });
      expect(reply.status, reply.text).to.equal(201);
    }
  });
  after(() => node.stop());

  const OTHERS = ['The letter C is round', 'An order of tea for two', 'Twelve hours by train', 'A net full of fish'];
  const FOUND: readonly (readonly [text: string, ...queries: string[]])[] = [
    ['parseInvoiceTotal throws on an empty list', 'invoice total', 'parse invoice total', 'parse_invoice_total'],
    ['tax_rules_for_france is slow', 'tax rules', 'taxRules', 'tax-rules'],
    ['The build script stands in tools/build-image/runAll.sh', 'build image', 'runAll.sh'],
    ['The launch went well 🎉', '🎉'],
    ['The scanner is written in C++', 'C++', 'c++ scanner'],
    ['The importer is written in C#', 'C#'],
    ['The printer service needs .NET on its host', '.NET', '.net host'],
    ['The gateway runs on Node.js behind a proxy', 'Node.js', 'nodejs', 'node js'],
    ['Upgrade the database to v14.2.1 on Monday', '14.2.1', 'v14.2.1'],
    ['The rent goes to DE89 3704 0044 0532 0130 00', 'DE89370400440532013000', 'DE89-3704-0044-0532-0130-00'],
    ['Ring the plumber at 0170 123-4567', '01701234567', '0170/1234567', '0170 1234567'],
    ['The parcel has the number KL1234', 'KL 1234', 'kl-1234', 'KL1234'],
    ['The chair was ordered as QX-77-881', 'QX77881', 'qx 77 881'],
    ['Broken since commit 9fceb02d0ae598e95dc970b74767f19372d61af8', '9fceb02', '9fceb02d0a'],
  ];
  for (const [text, ...queries] of FOUND) {
    for (const query of queries) {
      it(`finds "${text}" first by "${query}"`, async () => {
        const body = { query, token_budget: 2_000, weights: { lexical: 1 } };
        const reply = await node.request('POST', '/v1/recall', { key, body });
        expect(reply.status, reply.text).to.equal(200);
        expect(reply.body.facts[0]?.fact.value.v).to.equal(text);
      });
    }
  }
});
