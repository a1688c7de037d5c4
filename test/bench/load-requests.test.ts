import { expect } from 'chai';
import { loadedEntities, loaderEntity, requestMaker } from '../../bench/load/load-requests.ts';

const bodyOf = (request: string): unknown => JSON.parse(request.slice(request.indexOf('\r\n\r\n') + 4));

interface Sent {
  readonly entity: string;
  readonly relation: string;
  readonly value: { readonly v: string };
}

describe('The load generator', () => {
  it('asserts a fact about a new entity in each request, except for the share that contradicts', () => {
    const make = requestMaker({ key: 'k', requests: { kind: 'append', first: 0, contradicting: 0.1 } });
    const facts = Array.from({ length: 100 }, () => bodyOf(make()) as Sent);
    expect(new Set(facts.map(({ entity }) => entity)).size).to.equal(90);
    expect(new Set(facts.map(({ value }) => value.v)).size).to.equal(100);
  });

  it('asserts about the given number of entities by turns, each time with another relation', () => {
    const make = requestMaker({ key: 'k', requests: { kind: 'append', first: 0, contradicting: 0, entities: 20 } });
    const facts = Array.from({ length: 100 }, () => bodyOf(make()) as Sent);
    expect(new Set(facts.map(({ entity }) => entity)).size).to.equal(20);
    expect(new Set(facts.map(({ entity, relation }) => `${entity} ${relation}`)).size).to.equal(100);
  });

  it('sends the length of its bodies', () => {
    const request = requestMaker({ key: 'k', requests: { kind: 'append', first: 7, contradicting: 0 } })();
    const [head = '', body = ''] = request.split('\r\n\r\n');
    expect(head).to.match(/^POST \/v1\/facts HTTP\/1\.1\r\n/);
    expect(head).to.include(`Content-Length: ${Buffer.byteLength(body)}`);
    expect(head).to.include('Authorization: Bearer k');
  });

  it('requests the given paths in turn', () => {
    const make = requestMaker({ key: 'k', requests: { kind: 'read', paths: ['/a', '/b?c=d'] } });
    const asked = Array.from({ length: 3 }, () => make().split('\r\n')[0]);
    expect(asked).to.deep.equal(['GET /a HTTP/1.1', 'GET /b?c=d HTTP/1.1', 'GET /a HTTP/1.1']);
  });

  it('fills a store with entities of equal size, contradicts one in five, and queries only those', () => {
    const perEntity = 10;
    const make = requestMaker({ key: 'k', requests: { kind: 'batch', first: 0, size: 510, perEntity } });
    const facts = bodyOf(make()) as Sent[];
    const relations = new Map<string, Set<string>>();
    for (const { entity, relation } of facts) relations.set(entity, (relations.get(entity) ?? new Set()).add(relation));
    const entities = loadedEntities(510, perEntity);
    expect(relations.size).to.equal(entities);
    expect([...relations.values()].every(({ size }) => size === perEntity)).to.equal(true);
    expect(facts.length - entities * perEntity).to.equal(entities / 5);
    expect([...relations.keys()].sort()).to.deep.equal(
      Array.from({ length: entities }, (_, n) => loaderEntity(n)).sort(),
    );
  });
});
