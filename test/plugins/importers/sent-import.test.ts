import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { zipSync } from 'fflate';
import { projectRoot } from '../../architecture/source-files.ts';
import { type ServedNode, startServedNode } from '../../kit/start-served-node.ts';
import { startTestNode } from '../../kit/start-test-node.ts';

const SAMPLES = join(projectRoot(), 'test/plugins/importers/samples');
const LINES = [
  { type: 'entity', name: 'Noor', entityType: 'person', observations: ['Keeps an archive', 'Keeps an archive'] },
  { type: 'relation', from: 'Noor', to: 'Lisbon', relationType: 'lives in' },
];
const MEMORY = LINES.map((line) => `${JSON.stringify(line)}\n`).join('');
const base64 = (content: string | Uint8Array): string => Buffer.from(content).toString('base64');

/** Returns the documents of the lines of a reply. */
// biome-ignore lint/suspicious/noExplicitAny: the body of a reply has no type.
const linesOf = (text: string): any[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

describe('A file that is sent to be imported', () => {
  let served: ServedNode;
  before(async () => {
    served = await startServedNode();
  });
  after(() => served.stop());

  const send = async (body: object, key = served.adminKey): Promise<{ status: number; text: string }> => {
    const reply = await fetch(`${served.url}/v1/imports`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: reply.status, text: await reply.text() };
  };
  const importOf = async (body: object) => {
    const { status, text } = await send(body);
    expect(status, text).to.equal(200);
    return linesOf(text);
  };
  const factsOf = async (source: string) =>
    (await served.ask('GET', `/v1/facts?sources=${encodeURIComponent(source)}&limit=500`)).body;

  for (const name of ['memory.jsonl', 'mem0-lines.jsonl', 'mem0-platform.json', 'letta-lists.af', 'read-graph.json']) {
    it(`has the sums of the command for ${name}, in a trial and in an import`, async () => {
      const path = join(SAMPLES, name);
      const content = base64(await readFile(path));
      const more = ['--source-prefix', `of-${name}:`, '--scope', 'team'];
      const sent = { name, content, source_prefix: `of-${name}:`, scope: 'team' };
      const trial = (await importOf({ ...sent, dry_run: true })).at(-1).done;
      const tried = await served.run(['import-from', trial.format, path, '--dry-run', ...more]);
      expect(tried.stdout).to.contain(trial.summary);
      expect(trial.stored, 'a trial says that it stores nothing').to.equal(0);
      expect((await factsOf(`of-${name}:*`)).total, 'a trial stores nothing').to.equal(0);
      const { done } = (await importOf(sent)).at(-1);
      expect([done.read, done.stored + done.same, done.left_out, done.refused]).to.deep.equal([
        trial.read,
        trial.would_store + trial.same,
        trial.left_out,
        trial.refused,
      ]);
      const again = await served.run(['import-from', trial.format, path, '--dry-run', ...more]);
      expect(again.stdout, 'the command finds every fact').to.contain(' 0 to be stored + ');
    });
  }

  it('is stored whole where the replies of its batches are longer than a mebibyte', async () => {
    const lines = Array.from({ length: 500 }, (_, at) =>
      JSON.stringify({ type: 'entity', name: `long-${at}`, entityType: 'text', observations: ['x'.repeat(3_000)] }),
    );
    const sent = { name: 'memory.jsonl', content: base64(lines.join('\n')), source_prefix: 'long:' };
    const { done } = (await importOf(sent)).at(-1);
    expect([done.stored, done.refused]).to.deep.equal([1_000, 0]);
  });

  it('reports its progress, its refusals and its sources', async () => {
    const bad = { type: 'entity', name: 'x'.repeat(3_000), entityType: 'person', observations: [] };
    const lines = await importOf({ name: 'm.jsonl', content: base64(`${MEMORY}${JSON.stringify(bad)}\n`) });
    expect(lines.some(({ progress }) => progress?.total_bytes > 0)).to.equal(true);
    expect(lines.filter(({ refused }) => refused !== undefined)).to.have.lengthOf(1);
    const { done } = lines.at(-1);
    expect(done).to.include({ format: 'mcp-memory', dry_run: false, refused: 1 });
    expect(done.sources).to.deep.equal(['mcp-memory']);
  });

  it('may be an archive, and stores nothing twice, except facts that were retracted since', async () => {
    const content = base64(zipSync({ 'a/memory.jsonl': Buffer.from(MEMORY) }));
    const sent = { name: 'all.zip', content, source_prefix: 'zipped:' };
    const [first, second] = [(await importOf(sent)).at(-1).done, (await importOf(sent)).at(-1).done];
    expect([first.stored, second.stored, second.same]).to.deep.equal([3, 0, first.stored + first.same]);
    const { facts } = await factsOf('zipped:*');
    for (const { entity, relation, scope } of facts) {
      const end = { entity, relation, scope, source: 'agent:admin', confidence: 0, value: { type: 'null', v: null } };
      expect((await served.ask('POST', '/v1/facts', end)).status).to.equal(201);
    }
    expect((await factsOf('zipped:*')).total).to.equal(0);
    expect((await importOf(sent)).at(-1).done.stored).to.equal(3);
  });

  it('needs the permission to write, and the scope of its facts', async () => {
    const keyWith = async (permissions: readonly string[], scopes: readonly string[]): Promise<string> => {
      const raw_key = `a-key-of-somebody-that-imports-${permissions.join('-')}-${scopes.join('-')}`;
      const key = { raw_key, entity_uri: 'agent:importer', permissions, allowed_scopes: scopes };
      const { status, body } = await served.ask('POST', '/v1/auth/keys', key);
      expect(status, JSON.stringify(body)).to.equal(201);
      return raw_key;
    };
    const sent = { name: 'm.jsonl', content: base64(MEMORY), scope: 'team', source_prefix: 'rights:' };
    expect((await send(sent, await keyWith(['read'], ['team']))).status).to.equal(403);
    const elsewhere = linesOf((await send(sent, await keyWith(['read', 'write'], ['local']))).text).at(-1);
    expect(elsewhere.done?.stored ?? 0, JSON.stringify(elsewhere)).to.equal(0);
    expect((await factsOf('rights:*')).total).to.equal(0);
  });

  it('cannot name a file of the node', async () => {
    const path = join(served.folder, 'map.json');
    await writeFile(path, JSON.stringify({ entity: 'x:{id}', relation: '=memory:x', value: 'id' }));
    const table = { name: 't.csv', content: base64('id\n1\n'), format: 'csv' };
    expect((await send({ ...table, map: [path] })).status).to.equal(422);
    expect((await send({ ...table, map: [path, path, path] })).text).to.not.contain('"stored":1');
    const mapped = (await importOf({ ...table, map: ['entity=x:{id}', 'relation==memory:x', 'value=id'] })).at(-1);
    expect(mapped.done).to.include({ format: 'csv', stored: 1 });
  });

  it('is refused in the words of its body, with the advice that helps', async () => {
    const table = { name: 't.csv', content: base64('id,role\n1,guard\n'), format: 'csv' };
    const memory = { name: 'm.jsonl', content: base64(MEMORY) };
    const map = (...words: string[]) => ({ ...table, map: ['entity=x:{id}', 'relation==memory:x', ...words] });
    for (const [body, ...parts] of [
      [{ ...memory, encoding: 'klingon' }, 'body.encoding names no known encoding'],
      [{ ...memory, modified_at: 'yesterday' }, 'body.modified_at must be', 'for example 2026-01-01T00:00:00Z'],
      [{ ...memory, utc_offset: '+99:99' }, 'body.utc_offset must be Z, or an offset such as +01:00'],
      [{ ...memory, format: 'claude' }, 'looks like an export of the format mcp-memory', 'leave body.format out'],
      [table, 'body.map does not say what the entity of a fact is', 'give it like ["entity=user:{id}","relation=='],
      [map('value=rank'), 'has no column "rank", as body.map names it for value', 'here: id, role'],
      [map('worth=role'), 'body.map names "worth", which is no member of a fact'],
      [{ ...memory, garden: 'no-such-garden' }, 'body.garden names no garden that this key can see', 'GET /v1/gardens'],
    ] as const) {
      const { text } = await send(body);
      const lines = linesOf(text);
      expect(lines, text).to.have.lengthOf(1);
      const { detail, hint = '' } = lines[0].error ?? lines[0];
      for (const part of parts) expect(`${detail}\n${hint}`).to.contain(part).and.not.to.contain('--');
    }
  });

  it('is refused below 500 if it is hostile, and the node goes on', async () => {
    const bomb = zipSync({ 'conversations.json': Buffer.alloc(140 * 1024 * 1024, 32) }, { level: 9 });
    for (const [name, content] of [
      ['bomb.zip', base64(bomb)],
      ['torn.zip', base64(zipSync({ 'a.json': Buffer.from(MEMORY) }).subarray(0, 60))],
      ['deep.json', base64('['.repeat(100_000))],
      ['deep-item.json', base64(`[{"id":"m","memory":${'['.repeat(100_000)}`)],
      ['noise.bin', base64(Buffer.from([0, 255, 1, 254, 2]))],
      ['../../etc/passwd', base64('root:x:0:0')],
      ['not-base64', '%%%'],
      ['empty', ''],
    ] as const) {
      const { status, text } = await send({ name, content });
      expect(status, `${name}: ${text.slice(0, 300)}`).to.be.within(400, 499);
      expect(text, name).to.contain('"detail"');
    }
    for (const body of [
      { name: 'm.jsonl', content: base64(MEMORY), format: 'no-such-format' },
      { name: 'm.jsonl', content: base64(MEMORY), encoding: 'klingon' },
      { name: 'm.jsonl', content: base64(MEMORY), modified_at: 'yesterday' },
      { name: 'm.jsonl', content: base64(MEMORY), utc_offset: '+99:99' },
    ]) {
      expect((await send(body)).status, JSON.stringify(body).slice(0, 80)).to.be.within(400, 499);
    }
    expect((await send({ name: 'large', content: 'A'.repeat(17 * 1024 * 1024) })).status).to.equal(413);
    expect((await served.ask('GET', '/healthz')).status).to.equal(200);
  });

  it('is tried on a node without probes as well', async () => {
    const bare = await startTestNode({ plugins: ['keys', 'facts', 'importers'] });
    try {
      const key = await bare.addKey();
      expect((await bare.request('GET', '/healthz', { key })).status).to.equal(404);
      const body = { name: 'm.jsonl', content: base64(MEMORY), dry_run: true };
      const { text } = await bare.request('POST', '/v1/imports', { key, body });
      expect(linesOf(text).at(-1).done, text).to.include({ would_store: 3, refused: 0 });
    } finally {
      await bare.stop();
    }
  });

  it('names the fault in its last line if it is damaged in the middle, and keeps the batches before the fault', async () => {
    // More items than one batch has, so that a batch is stored before the fault.
    const many = Array.from({ length: 1_500 }, (_, at) => ({ id: `d${at}`, memory: `kept ${at}`, user_id: 'u' }));
    const text = `${JSON.stringify(many).slice(0, -1)},{"id":`;
    const lines = await importOf({ name: 'm.json', content: base64(text), source_prefix: 'damaged:', format: 'mem0' });
    expect(lines.at(-1).error).to.include({ code: 'validation' });
    expect(lines.at(-1).error.detail).to.contain('ends in the middle of a value');
    expect((await factsOf('damaged:*')).total).to.be.above(0);
  });
});
