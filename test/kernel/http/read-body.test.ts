import { expect } from 'chai';
import { MAX_BODY_ITEMS } from '../../../kernel/http/body-items.ts';
import { BULK_BODY_BYTES } from '../../../kernel/http/read-json-body.ts';
import type { BodyItem } from '../../../kernel/internal-api.ts';
import { schema } from '../../../kernel/plugin-api.ts';
import { type AskOptions, bearing, sendingJson, serveRoutes, type TestRoute, TOKENS } from '../../kit/serve-routes.ts';

const echo = (extra: Partial<TestRoute> = {}): TestRoute => ({
  method: 'POST',
  path: '/v1/echo',
  summary: 'echoes',
  access: { permission: 'any' },
  body: schema<object>({ type: 'object', properties: { n: { type: 'number' } }, additionalProperties: true }),
  handle: ({ body }) => ({ status: 200, body: { body } }),
  ...extra,
});

const items = echo({
  bodyForm: 'items',
  handle: ({ body }) => {
    const seen = (body as BodyItem[]).map((item) =>
      'value' in item ? item.value : `${item.error.status} ${item.error.code}`,
    );
    return { status: 200, body: { body: seen } };
  },
});

const post = (route: TestRoute, options: AskOptions, maxBodyBytes = 1_000) =>
  serveRoutes([route], { maxBodyBytes }).ask('POST', '/v1/echo', options);

const typed = (type: string): Record<string, string> => ({ ...bearing(TOKENS.reader), 'Content-Type': type });
const json = sendingJson(TOKENS.reader);

describe('the type of a body', () => {
  const taken = [
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/json; charset=us-ascii; x=y',
    'application/vnd.acme.v1+json',
    'application/merge-patch+json ; charset=utf8',
  ];
  for (const type of taken) {
    it(`may be ${type}`, async () => {
      expect((await post(echo(), { headers: typed(type), body: '{}' })).status).to.equal(200);
    });
  }

  const refused = [
    'text/plain',
    'text/json',
    'application/jsonp',
    'application/+json',
    'application/x-ndjson',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json, text/plain',
    'application/json; charset=utf-16',
    'application/json; charset=iso-8859-1',
    'application/json; charset=',
    '',
  ];
  for (const type of refused) {
    it(`may not be "${type}"`, async () => {
      const answer = await post(echo(), { headers: typed(type), body: '{}' });
      expect([answer.status, answer.json.code]).to.deep.equal([415, 'unsupported_media_type']);
    });
  }

  it('must be given, unless there is no body', async () => {
    expect((await post(echo(), { headers: bearing(TOKENS.reader), body: '{}' })).status).to.equal(415);
    expect((await post(echo(), { headers: bearing(TOKENS.reader) })).status).to.equal(400);
    const optional = echo({ bodyOptional: true });
    expect((await post(optional, { headers: bearing(TOKENS.reader) })).json).to.deep.equal({ body: {} });
    expect((await post(optional, { headers: typed('text/plain') })).json).to.deep.equal({ body: {} });
  });

  it('may not be compressed', async () => {
    for (const coding of ['gzip', 'deflate', 'br', 'identity, gzip', 'x']) {
      const answer = await post(echo(), { headers: { ...json, 'Content-Encoding': coding }, body: '{}' });
      expect(answer.status, coding).to.equal(415);
    }
    expect((await post(echo(), { headers: { ...json, 'Content-Encoding': 'Identity' }, body: '{}' })).status).to.equal(
      200,
    );
  });

  it('is ignored for an open document, whose body is not read', async () => {
    const { body: _, ...without } = echo({ access: 'open', path: '/echo' });
    const answer = await serveRoutes([without]).ask('POST', '/echo', { headers: typed('text/plain'), body: 'x' });
    expect([answer.status, answer.json]).to.deep.equal([200, {}]);
  });
});

describe('the body of a request to a route that declares none', () => {
  const { body: _, ...without } = echo();

  it('may be empty, with any content type', async () => {
    for (const body of [undefined, '', '{}']) {
      expect((await post(without, { headers: json, body })).status, body).to.equal(200);
    }
    expect((await post(without, { headers: typed('text/plain'), body: '' })).status).to.equal(200);
  });

  it('is refused if it has members, because the route declares none', async () => {
    const answer = await post(without, { headers: json, body: { reason: 'secret', hard: true } });
    expect([answer.status, answer.json.errors]).to.deep.equal([
      422,
      [
        { path: 'body.reason', message: 'is not a known member' },
        { path: 'body.hard', message: 'is not a known member' },
      ],
    ]);
    expect(answer.text).not.to.contain('secret');
    expect((await post(without, { headers: typed('text/plain'), body: 'x' })).status).to.equal(415);
    expect((await post(without, { headers: json, body: 'x'.repeat(5_000) })).status).to.equal(413);
  });
});

describe('the size of a body', () => {
  const sized = (bytes: number): string => `{"a":"${'x'.repeat(bytes - 8)}"}`;

  it('may equal the limit', async () => {
    expect((await post(echo(), { headers: json, body: sized(1_000) })).status).to.equal(200);
    const answer = await post(echo(), { headers: json, body: sized(1_001) });
    expect([answer.status, answer.json.code]).to.deep.equal([413, 'too_large']);
  });

  it('may be larger on bulk routes', async () => {
    const bulk = echo({ bodyLimit: 'bulk' });
    expect((await post(bulk, { headers: json, body: sized(BULK_BODY_BYTES) })).status).to.equal(200);
    expect((await post(bulk, { headers: json, body: sized(BULK_BODY_BYTES + 1) })).status).to.equal(413);
  });
});

describe('the content of a body', () => {
  const cases: Readonly<Record<string, readonly [body: string | Uint8Array, status: number, code: string]>> = {
    'broken JSON': ['{"a":', 400, 'malformed_json'],
    'a member twice': ['{"a":1,"a":2}', 400, 'malformed_json'],
    'invalid UTF-8': [Uint8Array.of(0x22, 0xff, 0x22), 400, 'malformed_json'],
    'UTF-16': [Buffer.from('{}', 'utf16le'), 400, 'malformed_json'],
    'deep nesting': ['['.repeat(10_000), 400, 'malformed_json'],
    'a NUL': ['{"a":"\\u0000"}', 422, 'validation'],
    'a lone surrogate': ['{"a":"\\ud800"}', 422, 'validation'],
    'a number beyond doubles': ['{"n":1e999}', 422, 'validation'],
    'an integer that doubles miss': ['{"n":9007199254740993}', 422, 'validation'],
    null: ['null', 422, 'validation'],
    'a list': ['[]', 422, 'validation'],
    'a scalar': ['1', 422, 'validation'],
  };
  for (const [name, [body, status, code]] of Object.entries(cases)) {
    it(`is refused for ${name}`, async () => {
      const answer = await post(echo(), { headers: json, body }, 100_000);
      expect([answer.status, answer.json.code]).to.deep.equal([status, code]);
    });
  }

  it('cannot change a JavaScript prototype', async () => {
    const body = '{"__proto__":{"permissions":["admin"]},"constructor":{"prototype":{"x":1}}}';
    expect((await post(echo(), { headers: json, body })).status).to.equal(200);
    expect(({} as Record<string, unknown>)['permissions']).to.equal(undefined);
  });
});

describe('the members of a body', () => {
  const bed = schema<object>({
    type: 'object',
    required: ['name'],
    properties: {
      name: { type: 'string' },
      size: { type: 'integer', minimum: 1, default: 1 },
      note: { type: ['string', 'null'] },
      soil: {
        type: 'object',
        required: ['ph'],
        properties: { ph: { type: 'number' }, kind: { enum: ['clay', 'sand'] } },
      },
      plants: { type: 'array', items: { type: 'object', properties: { species: { type: 'string' } } } },
      labels: { type: 'object', additionalProperties: { type: 'object', properties: { text: { type: 'string' } } } },
      anything: { type: 'object' },
    },
  });
  const send = (body: unknown) => post(echo({ body: bed }), { headers: json, body }, 3_000_000);

  it('are reported with all other errors, at every depth, if the schema does not declare them', async () => {
    const answer = await send({
      nam: 'secret',
      size: 0,
      soil: { ph: 'secret', kinds: 'clay' },
      plants: [{}, { specie: 'secret' }],
      labels: { front: { txt: 'secret' } },
      anything: { goes: true },
    });
    expect([answer.status, answer.json.code]).to.deep.equal([422, 'validation']);
    expect(answer.json.errors).to.have.deep.members([
      { path: 'body.soil.kinds', message: 'is not a known member; did you mean kind?' },
      { path: 'body.plants[1].specie', message: 'is not a known member; did you mean species?' },
      { path: 'body.labels.front.txt', message: 'is not a known member; did you mean text?' },
      { path: 'body.nam', message: 'is not a known member; did you mean name?' },
      { path: 'body.name', message: 'is required' },
      { path: 'body.size', message: 'must be at least 1' },
      { path: 'body.soil.ph', message: 'must be a number' },
    ]);
    expect(answer.text).not.to.contain('secret');
  });

  it('that are null count as absent if they are optional, and as null if the schema accepts null', async () => {
    const body = {
      name: 'a',
      size: null,
      note: null,
      soil: { ph: 7, kind: null },
      plants: [{ species: null }],
      anything: null,
    };
    expect((await send(body)).json.body).to.deep.equal({
      name: 'a',
      size: 1,
      note: null,
      soil: { ph: 7 },
      plants: [{}],
    });
    const required = await send({ name: null });
    expect(required.json.errors).to.deep.equal([{ path: 'body.name', message: 'must be a string' }]);
  });

  it('with unknown names are reported up to twenty, each shortened', async () => {
    const many = Object.fromEntries(Array.from({ length: 990 }, (_, at) => [`m${at}`, 'secret']));
    const answer = await send({ name: 'a', ['n'.repeat(10_000)]: 1, ...many });
    expect([answer.status, answer.json.errors.length]).to.deep.equal([422, 20]);
    expect(answer.text.length).to.be.below(4_000);
    expect(answer.text).not.to.contain('secret');
  });

  it('of an invalid list item make that item a separate error', async () => {
    const route = { ...items, itemSchema: schema<object>({ type: 'object', properties: { n: { type: 'integer' } } }) };
    const answer = await post(route, { headers: json, body: [{ n: 1 }, { m: 1 }, { n: null }] });
    expect(answer.json.body).to.deep.equal([{ n: 1 }, '422 validation', {}]);
  });
});

describe('a body of items', () => {
  const lines = (text: string, maxBodyBytes = 1_000) =>
    post(items, { headers: typed('application/x-ndjson'), body: text }, maxBodyBytes);

  it('is a JSON array, valid as a whole or refused', async () => {
    expect((await post(items, { headers: json, body: [1, { a: 2 }, null] })).json.body).to.deep.equal([
      1,
      { a: 2 },
      null,
    ]);
    expect((await post(items, { headers: json, body: '[1,' })).status).to.equal(400);
    expect((await post(items, { headers: json, body: '[]' })).json.body).to.deep.equal([]);
    const other = await post(items, { headers: json, body: '{"a":1}' });
    expect([other.status, other.json.errors]).to.deep.equal([422, [{ path: 'body', message: 'must be an array' }]]);
    expect((await post(items, { headers: bearing(TOKENS.reader) })).status).to.equal(400);
  });

  it('is one document per line, each checked alone', async () => {
    const answer = await lines('{"a":1}\r\n\r\n  \n{"a":\n2\n"\\u0000"\n[1]');
    expect(answer.json.body).to.deep.equal([{ a: 1 }, '400 malformed_json', 2, '422 validation', [1]]);
    const bytes = Buffer.concat([Buffer.from('1\n'), Buffer.of(0xff, 0x0a), Buffer.from('3\n')]);
    const partly = await post(items, { headers: typed('application/x-ndjson'), body: bytes });
    expect(partly.json.body).to.deep.equal([1, '400 malformed_json', 3]);
    expect((await lines('')).json.body).to.deep.equal([]);
    expect((await lines('\n\n')).json.body).to.deep.equal([]);
  });

  it('has a limit on their number', async () => {
    const many = '1\n'.repeat(MAX_BODY_ITEMS);
    expect((await lines(many, 100_000)).status).to.equal(200);
    expect((await lines(`${many}1`, 100_000)).json.code).to.equal('batch_too_large');
    const body = `[${'1,'.repeat(MAX_BODY_ITEMS)}1]`;
    expect((await post(items, { headers: json, body }, 1_000_000)).json.code).to.equal('batch_too_large');
  });
});
