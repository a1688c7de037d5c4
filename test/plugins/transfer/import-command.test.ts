import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { runInProcess } from '../../adapters/cli/run-in-process.ts';

interface Received {
  readonly body: string;
  readonly headers: IncomingMessage['headers'];
}

type Answer = (received: Received, nth: number) => { status: number; body?: unknown; headers?: Record<string, string> };

const KEY = 'k'.repeat(40);

const allStored: Answer = ({ body }) => ({
  status: 200,
  body: {
    results: body
      .trim()
      .split('\n')
      .map((_, index) => ({ index, status: 201, fact: { id: `f${index}` } })),
  },
});

describe('the import command', () => {
  let server: Server;
  let url: string;
  let received: Received[];
  let answer: Answer;

  beforeEach((done) => {
    received = [];
    answer = allStored;
    const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const seen = { body: await text(request), headers: request.headers };
      received.push(seen);
      const { status, body, headers } = answer(seen, received.length);
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body ?? {}));
    };
    server = createServer((request, response) => void handle(request, response));
    server.listen(0, '127.0.0.1', () => {
      url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      done();
    });
  });

  afterEach((done) => {
    server.closeAllConnections();
    server.close(() => done());
  });

  const importText = (input: string, ...flags: string[]) =>
    runInProcess(['import', '-', ...flags], { input, env: { SVC_URL: `${url}/`, SVC_API_KEY: KEY } });

  it('sends the lines unchanged, in order, with the API key and an idempotency key', async () => {
    const { exitCode, stdout } = await importText('{"n": 1}\n{"n": 2}\n{"n": 3}\n', '--batch', '2');

    expect(exitCode).to.equal(0);
    expect(stdout).to.match(/^3 lines: 3 accepted, 0 refused/);
    expect(received.map(({ body }) => body)).to.deep.equal(['{"n": 1}\n{"n": 2}\n', '{"n": 3}\n']);
    expect(received.map(({ headers }) => headers.authorization)).to.deep.equal([`Bearer ${KEY}`, `Bearer ${KEY}`]);
    expect(received.map(({ headers }) => headers['content-type'])).to.deep.equal(
      Array.from({ length: 2 }, () => 'application/x-ndjson'),
    );
    expect(new Set(received.map(({ headers }) => headers['idempotency-key'])).size).to.equal(2);
  });

  it('names refused lines, stores the others, and reports them by its exit code', async () => {
    const error = { code: 'validation', detail: 'body[1].confidence must be\u001b[31m between 0 and 1' };
    answer = () => ({
      status: 200,
      body: {
        results: [
          { index: 0, status: 201 },
          { index: 1, status: 422, error },
        ],
      },
    });
    const { exitCode, stdout, stderr } = await importText('{}\n\n{}\n');

    expect(exitCode).to.equal(2);
    expect(stderr).to.equal('line 3: 422 validation: confidence must be [31m between 0 and 1\n');
    expect(stdout).to.match(/^2 lines: 1 accepted, 1 refused/);
  });

  it('shows line numbers of the file in place of item numbers of a request', async () => {
    const details = [
      'the body[0] is not valid JSON: no member name in double quotes at line 1, column 2',
      'body[1] must be an object',
    ];
    const results = details.map((detail, index) => ({ index, status: 422, error: { code: 'c', detail } }));
    answer = () => ({ status: 200, body: { results } });
    const { stderr } = await importText('{bad\n[1]\n');

    expect(stderr.split('\n').slice(0, 2)).to.deep.equal([
      'line 1: 422 c: not valid JSON: no member name in double quotes at column 2',
      'line 2: 422 c: must be an object',
    ]);
  });

  it('repeats a request after a timeout of the node, with the same idempotency key', async () => {
    answer = (seen, nth) => (nth === 1 ? { status: 503, body: { detail: 'busy' } } : allStored(seen, nth));
    const { exitCode } = await importText('{}\n');

    expect(exitCode).to.equal(0);
    expect(received).to.have.length(2);
    expect(received[0]?.headers['idempotency-key']).to.equal(received[1]?.headers['idempotency-key']);
  });

  for (const [what, busy] of [
    ['is still busy with the same request', { status: 409, body: { code: 'idempotency_in_progress' } }],
    ['asks for patience', { status: 429, body: { detail: 'too many' }, headers: { 'Retry-After': '0' } }],
  ] as const) {
    it(`tries again when the node ${what}, with a message`, async () => {
      answer = (seen, nth) => (nth === 1 ? busy : allStored(seen, nth));
      const { exitCode, stderr } = await importText('{}\n');

      expect(exitCode).to.equal(0);
      expect(stderr).to.contain(`the node answered ${busy.status}`).and.to.contain('trying again in');
    });
  }

  it('tries again when the connection breaks during a request', async () => {
    answer = (seen, nth) => {
      if (nth === 2) server.closeAllConnections();
      return allStored(seen, nth);
    };
    const { exitCode, stdout, stderr } = await importText('{}\n{}\n', '--batch', '1');

    expect(exitCode).to.equal(0);
    expect(stdout).to.match(/^2 lines: 2 accepted/);
    expect(stderr).to.contain('no answer from');
  });

  it('ends at once with a hint if the first request gets no reply', async () => {
    const { exitCode, stderr } = await runInProcess(['import', '-'], {
      input: '{}\n',
      env: { SVC_URL: 'http://127.0.0.1:1' },
    });

    expect(exitCode).to.equal(1);
    expect(stderr).to.contain('no answer from http://127.0.0.1:1').and.to.contain('hint: start the node');
    expect(stderr).not.to.contain('trying again');
  });

  it('stops at a refused API key, names the line, and never shows the key', async () => {
    answer = () => ({ status: 401, body: { code: 'authentication', detail: 'the credential is not accepted' } });
    const { exitCode, stdout, stderr } = await importText('{}\n{}\n{}\n', '--batch', '2');

    expect(exitCode).to.equal(1);
    expect(received).to.have.length(1);
    expect(stderr).to.contain('stopped at line 1');
    expect(stderr).to.contain('401: the credential is not accepted');
    expect(stderr).to.contain('hint: the node refuses the key in SVC_API_KEY: set it to a key of this node');
    expect(stderr + stdout).not.to.contain(KEY);
    expect(stderr).not.to.contain('    at ');
  });

  it('rejects the answer of a server that is no node', async () => {
    answer = () => ({ status: 200, body: { hello: 'world' } });
    const { exitCode, stderr } = await importText('{}\n');

    expect(exitCode).to.equal(1);
    expect(stderr).to.contain('not one of a fact-memory node');
  });

  it('counts facts that an earlier run had stored', async () => {
    answer = (seen, nth) => ({ ...allStored(seen, nth), headers: { 'Idempotency-Replayed': 'true' } });
    const { stdout } = await importText('{}\n');

    expect(stdout).to.contain('requests known from an earlier run: 1');
  });

  describe('given a file', () => {
    let folder: string;

    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'import-'));
    });

    afterEach(() => rmSync(folder, { recursive: true, force: true }));

    it('reads it, and can read the API key from a file too', async () => {
      writeFileSync(join(folder, 'facts.jsonl'), '{"n":1}\n');
      writeFileSync(join(folder, 'my.key'), `${KEY}\n`);
      const flags = ['--url', url, '--key-file', join(folder, 'my.key')];
      const { exitCode } = await runInProcess(['import', join(folder, 'facts.jsonl'), ...flags]);

      expect(exitCode).to.equal(0);
      expect(received[0]?.headers.authorization).to.equal(`Bearer ${KEY}`);
    });

    it('names the fault of a missing file, a folder, or a missing key file', async () => {
      const missing = await runInProcess(['import', join(folder, 'none.jsonl')]);
      expect([missing.exitCode, missing.stderr]).to.deep.equal([
        1,
        `error: there is no file ${join(folder, 'none.jsonl')}\n`,
      ]);
      expect((await runInProcess(['import', folder])).stderr).to.contain('is a folder');
      const noKey = await runInProcess(['import', '-', '--key-file', join(folder, 'none.key')]);
      expect(noKey.stderr).to.contain('there is no file');
    });
  });

  for (const [flags, complaint] of [
    [['--batch', '0'], 'from 1 to 1000'],
    [['--batch', '2.5'], 'from 1 to 1000'],
    [['--url', 'file:///etc/passwd'], 'not an http or https URL'],
    [['--url', 'localhost'], 'not an http or https URL'],
    [['--bath', '1'], 'hint: did you mean --batch?'],
  ] as const) {
    it(`refuses ${flags.join(' ')} without sending anything`, async () => {
      const { exitCode, stderr } = await importText('{}\n', ...flags);

      expect(exitCode).to.equal(1);
      expect(stderr).to.contain(complaint);
      expect(received).to.deep.equal([]);
    });
  }
});
