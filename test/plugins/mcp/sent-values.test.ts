import type { Client } from '@modelcontextprotocol/client';
import { expect } from 'chai';
import { SHOWN_CHARACTERS } from '../../../plugins/mcp/cut-values.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { call, connectClient, type Loose, made } from './mcp-kit.ts';

/** Values of arguments, with the stored value. */
const STORED: readonly (readonly [args: object, type: string, v: unknown])[] = [
  [{ value: 'CEO' }, 'string', 'CEO'],
  [{ value: '8443' }, 'string', '8443'],
  [{ value: 'true' }, 'string', 'true'],
  [{ value: '{"type":"ref","v":"person:tom"}' }, 'string', '{"type":"ref","v":"person:tom"}'],
  [{ value: 8443 }, 'number', 8443],
  [{ value: false }, 'boolean', false],
  [{ value: null }, 'null', null],
  [{ value: 'x'.repeat(16_385) }, 'text', 'x'.repeat(16_385)],
  [{ value: '8443', value_type: 'number' }, 'number', 8443],
  [{ value: '-1.5e3', value_type: 'number' }, 'number', -1500],
  [{ value: 'True', value_type: 'boolean' }, 'boolean', true],
  [{ value: 'person:tom', value_type: 'ref' }, 'ref', 'person:tom'],
  [{ value: '2026-03-02', value_type: 'datetime' }, 'datetime', '2026-03-02'],
  [{ value: '', value_type: 'null' }, 'null', null],
  [{ value: 8443, value_type: 'string' }, 'string', '8443'],
  [{ value: '725653563933458433', value_type: 'string' }, 'string', '725653563933458433'],
  [{ value: { type: 'ref', v: 'person:tom' } }, 'ref', 'person:tom'],
  [{ value: { type: 'number', v: '8443' } }, 'number', 8443],
  [{ value: { v: '8443' }, value_type: 'number' }, 'number', 8443],
];

const REFUSED: readonly (readonly [args: object, message: RegExp])[] = [
  [{ value: 'many', value_type: 'number' }, /arguments\.value must be a number/],
  [{ value: 'yes', value_type: 'boolean' }, /arguments\.value must be true or false/],
  [{ value: 'person:tom', value_type: 'person' }, /arguments\.value_type must be one of/],
  [{ value: { type: 'ref', v: 'x' }, value_type: 'string' }, /another type than value_type/],
  [{ value: { v: 'x' } }, /needs a type: one of string, text/],
  [{ value: ['x'] }, /must be text, a number, true, false or \{type, v\}/],
  [{ value: { name: 'x' } }, /must be text, a number, true, false or \{type, v\}/],
];

forEachStore('a value that a model sends', () => {
  let node: TestNode;
  let client: Client;
  before(async () => {
    node = await startTestNode({ settings: { mcp: { profile: 'extended' } } });
    client = await connectClient(node, await node.addKey({ entityUri: 'agent:noor' }));
  });
  after(async () => {
    await client.close();
    await node.stop();
  });

  const asserted = (entity: string, args: object): Promise<Loose> =>
    call(client, 'assert', { entity, relation: 'memory:port', ...args });

  it('is stored with the JSON type that it has or the one in value_type, and the reply names the type', async () => {
    for (const [at, [args, type, v]] of STORED.entries()) {
      const { structuredContent, content } = await asserted(`sent:${at}`, args);
      const place = JSON.stringify(args).slice(0, 80);
      expect(structuredContent.fact?.value, place).to.deep.equal({
        type,
        v: typeof v === 'string' ? v.slice(0, SHOWN_CHARACTERS) : v,
      });
      expect(structuredContent.stored_type, place).to.equal(type);
      expect(content[0].text, place).to.match(new RegExp(`^Stored as ${type}\\.`));
    }
  });

  it('is refused if it cannot have the type in value_type, and the error names the member', async () => {
    for (const [args, message] of REFUSED) {
      const { isError, content } = await asserted('sent:refused', args);
      expect(isError, JSON.stringify(args)).to.equal(true);
      expect(content[0].text).to.match(message);
    }
    expect((await made(client, 'query', { entity: 'sent:refused' })).total).to.equal(0);
  });

  it('becomes an edge if a client that sends only text gives the type ref', async () => {
    const edge = { entity: 'person:ines', relation: 'rel:manages', value: 'person:tom', value_type: 'ref' };
    await made(client, 'assert', edge);
    const { neighbors } = await made(client, 'neighbors', { entity: 'person:ines' });
    expect(neighbors.map(({ entity }: Loose) => entity)).to.deep.equal(['person:tom']);
  });

  it('is reported if a stored value of another type has the same spelling', async () => {
    const first = await asserted('sent:mixed', { value: 8443 });
    const { structuredContent, content } = await asserted('sent:mixed', { value: '8443.0' });
    const { id } = first.structuredContent.fact;
    expect(structuredContent.same_spelling).to.deep.equal([{ id, type: 'number' }]);
    expect(content[0].text)
      .to.include(`Fact ${id} spells the same as number`)
      .and.to.match(/value_type number/);
    const other = await asserted('sent:mixed', { value: 'none' });
    expect(other.structuredContent).not.to.have.property('same_spelling');
    const facts = [{ entity: 'sent:mixed', relation: 'memory:port', value: '8443' }];
    const { results } = await made(client, 'assert_many', { facts });
    expect(results[0].same_spelling).to.deep.include({ id, type: 'number' });
  });

  it('is stored even if it contradicts facts, which the reply names with a call for each remedy', async () => {
    const first = await asserted('sent:contradicted', { value: 'red' });
    expect(first.structuredContent).not.to.have.property('contradicts');
    const { structuredContent, content } = await asserted('sent:contradicted', { value: 'grey' });
    const { id } = first.structuredContent.fact;
    expect(structuredContent.contradicts).to.deep.equal([id]);
    expect(content[0].text)
      .to.include(`It contradicts 1 fact (${id})`)
      .and.to.match(/resolve takes conflict_id svc:conflict:\S+ with/)
      .and.to.include('PUT /v1/relations {"pattern":"memory:port","values":"many"}');
  });

  it('resolves a contradiction with the type in value_type, also beside null members', async () => {
    const role = { entity: 'sent:settled', relation: 'memory:port' };
    const { fact } = await made(client, 'assert', { ...role, value: 1 });
    await made(client, 'assert', { ...role, value: 2 });
    const openId = async () =>
      (await made(client, 'conflicts')).conflicts.find(({ members }: Loose) => members.includes(fact.id))?.conflict_id;
    const settled = { conflict_id: await openId(), new_value: '3', value_type: 'number', winning_fact_id: null };
    await made(client, 'resolve', settled);
    expect((await made(client, 'query', role)).facts.map(({ value }: Loose) => value.v)).to.deep.equal([3]);
  });
});

forEachStore('tool arguments that a client sends as text', () => {
  let node: TestNode;
  let client: Client;
  before(async () => {
    node = await startTestNode({ settings: { mcp: { profile: 'extended' } } });
    client = await connectClient(node, await node.addKey({ entityUri: 'agent:noor' }));
  });
  after(async () => {
    await client.close();
    await node.stop();
  });

  it('are converted if the schema does not accept text and they spell exactly one value', async () => {
    const { fact } = await made(client, 'assert', { entity: 'text:a', relation: 'memory:x', value: 'first' });
    const derived = { derived_from: JSON.stringify([fact.id]), confidence: '0.8' };
    const told = await made(client, 'assert', { entity: 'text:a', relation: 'memory:y', value: 'next', ...derived });
    expect(told.fact).to.include({ confidence: 0.8 });
    expect(told.fact.derived_from).to.have.lengthOf(1);
    const asked = { entity: 'text:a', limit: '1', include_contradicted: 'true', min_confidence: '0.5', cursor: null };
    expect((await made(client, 'query', asked)).facts).to.have.lengthOf(1);
    expect((await made(client, 'recall', { query: 'first', token_budget: '900' })).facts).not.to.deep.equal([]);
    const facts = JSON.stringify([{ entity: 'text:b', relation: 'memory:x', value: 1, confidence: '0.5' }]);
    const { results } = await made(client, 'assert_many', { facts });
    expect(results[0].fact).to.include({ confidence: 0.5 });
    const preview = await made(client, 'forget', { entity: 'text:a', tombstone: 'false' });
    expect(preview.status).to.equal('preview');
  });

  it('are refused by name if they spell no value of the expected type', async () => {
    const wrong: readonly (readonly [args: object, message: RegExp])[] = [
      [{ limit: 'five' }, /arguments\.limit must be an integer/],
      [{ limit: '1.5' }, /arguments\.limit must be an integer/],
      [{ limit: '' }, /arguments\.limit must be an integer/],
      [{ include_expired: 'yes' }, /arguments\.include_expired must be true or false/],
      [{ min_confidence: '80%' }, /arguments\.min_confidence must be a number/],
      [{ min_confidence: '8' }, /arguments\.min_confidence must be at most 1/],
    ];
    for (const [args, message] of wrong) {
      const { isError, content } = await call(client, 'query', { entity: 'text:a', ...args });
      expect(isError, JSON.stringify(args)).to.equal(true);
      expect(content[0].text).to.match(message);
    }
  });
});
