import { expect } from 'chai';
import fc from 'fast-check';
import { FactClient } from '../../client/client.ts';
import { fillPath, readBaseUrl, spellQuery } from '../../client/request-target.ts';
import { RUNS } from '../kit/property-runs.ts';
import { rejection } from '../kit/rejection.ts';

describe('the address of a request', () => {
  it('encodes any parameter as one segment that every URL parser leaves unchanged', () => {
    const property = fc.property(fc.string({ unit: 'binary', minLength: 1 }), (id) => {
      fc.pre(id.isWellFormed() && id !== '.' && id !== '..');
      const path = fillPath('/v1/facts/{id}/history', { id });
      const { pathname, search, hash } = new URL(path, 'http://node');
      expect([pathname, search, hash]).to.deep.equal([path, '', '']);
      expect(decodeURIComponent(path.slice('/v1/facts/'.length, -'/history'.length))).to.equal(id);
    });
    fc.assert(property, { numRuns: RUNS });
  });

  it('is refused when a parameter is missing or invalid', () => {
    for (const id of [undefined, '', '.', '..', '\ud800']) {
      expect(() => fillPath('/v1/facts/{id}', id === undefined ? {} : { id })).to.throw(TypeError, /"id"/);
    }
  });

  it('is refused before anything is sent when the route is no method and path', async () => {
    let sent = 0;
    const fetch = async () => {
      sent += 1;
      return new Response('{}');
    };
    const client = new FactClient({ url: 'http://node', key: 'k', fetch });
    for (const route of ['/v1/facts', 'GET', 'GET v1/facts', 'GET .example/v1/facts', 'GET  /v1/facts', '']) {
      const error = await rejection(client.call(route as 'GET /v1/facts'));
      expect(error, route).to.be.instanceOf(TypeError);
      expect(error.message).to.equal('a route is a method and a path, such as "GET /v1/facts"');
    }
    expect(sent).to.equal(0);
  });

  it('encodes any query', () => {
    const text = fc.string({ unit: 'binary' }).filter((one) => one.isWellFormed());
    const property = fc.property(fc.dictionary(text, fc.array(text)), (query) => {
      const pairs = [...new URLSearchParams(spellQuery(query))];
      const given = Object.entries(query).flatMap(([name, values]) =>
        (values.length === 0 ? [''] : values).map((value) => [name, value]),
      );
      expect(pairs).to.deep.equal(given);
    });
    fc.assert(property, { numRuns: RUNS });
  });

  it('omits absent members, repeats lists and writes objects as JSON', () => {
    const query = { a: undefined, b: null, c: false, d: 0, e: ['x', 'y'], f: { lexical: 1 } };
    expect(spellQuery(query)).to.equal('?c=false&d=0&e=x&e=y&f=%7B%22lexical%22%3A1%7D');
    expect(spellQuery({ a: undefined })).to.equal('');
  });

  it('keeps an empty list as an empty value, because the request would ask for everything without it', () => {
    expect(spellQuery({ entities: [], limit: 5 })).to.equal('?entities=&limit=5');
    expect(spellQuery({ entities: [null, undefined] })).to.equal('?entities=');
  });

  it('refuses text that is not well-formed instead of asking for another name', () => {
    for (const entity of ['user:\ud800', ['user:a', 'user:\udc00']]) {
      expect(() => spellQuery({ entity })).to.throw(TypeError, 'the parameter "entity" is not well-formed text');
    }
  });

  it('begins with the address of the node, which may have a path of its own', () => {
    expect(readBaseUrl('https://host.example/memory/')).to.equal('https://host.example/memory');
    expect(readBaseUrl('http://127.0.0.1:8765')).to.equal('http://127.0.0.1:8765');
    for (const url of [
      'host',
      'ftp://host',
      'https://me:secret@host',
      'https://host?key=secret',
      'https://host#x',
      '',
    ]) {
      expect(() => readBaseUrl(url), url)
        .to.throw(TypeError)
        .with.property('message')
        .not.contains('secret');
    }
  });
});

describe('the options of a client', () => {
  const variables = ['SVC_URL', 'SVC_API_KEY'] as const;
  const before = variables.map((name) => [name, process.env[name]] as const);
  beforeEach(() => {
    process.env['SVC_URL'] = 'https://mine.example';
    process.env['SVC_API_KEY'] = 'key-of-the-environment';
  });
  afterEach(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });

  const sentTo = async (options: ConstructorParameters<typeof FactClient>[0]) => {
    let seen: unknown;
    const send = async (url: string, init: RequestInit): Promise<Response> => {
      seen = [url, new Headers(init.headers).get('authorization')];
      return new Response('{}', { headers: { 'content-type': 'application/json' } });
    };
    await new FactClient({ ...options, fetch: send as typeof fetch }).me();
    return seen;
  };

  it('come from the environment, whose key is sent to no other address', async () => {
    expect(await sentTo({})).to.deep.equal(['https://mine.example/v1/me', 'Bearer key-of-the-environment']);
    expect(await sentTo({ key: 'own' })).to.deep.equal(['https://mine.example/v1/me', 'Bearer own']);
    expect(await sentTo({ url: 'https://other.example' })).to.deep.equal(['https://other.example/v1/me', null]);
    process.env['SVC_URL'] = '';
    process.env['SVC_API_KEY'] = '';
    expect(await sentTo({})).to.deep.equal(['http://127.0.0.1:8765/v1/me', null]);
  });

  it('are refused when they are invalid', () => {
    const wrong = [{ retries: -1 }, { retries: 1.5 }, { retries: 1e9 }, { timeoutMs: -1 }, { serviceName: 'A b' }];
    for (const options of [...wrong, { timeoutMs: Number.NaN }])
      expect(() => new FactClient(options)).to.throw(TypeError);
  });
});
