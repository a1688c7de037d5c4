import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { createSystemRandom } from '../../../adapters/random/system-random.ts';
import type { ServerRequest } from '../../../kernel/internal-api.ts';
import { BUILTIN_FORMATS } from '../../../plugins/importers/builtin-formats.ts';
import { createDraftFacts } from '../../../plugins/importers/draft-facts.ts';
import { NO_EARLIER_IMPORT } from '../../../plugins/importers/earlier-import.ts';
import { itemsFileAt } from '../../../plugins/importers/earlier-items.ts';
import { openInput } from '../../../plugins/importers/import-input.ts';
import { runImport } from '../../../plugins/importers/import-run.ts';
import { importSettings } from '../../../plugins/importers/import-settings.ts';
import { stateFileAt } from '../../../plugins/importers/import-state.ts';
import { emptyTally } from '../../../plugins/importers/import-tally.ts';
import type { ImportItem } from '../../../plugins/importers/importers-api.ts';
import { createRefusedItems } from '../../../plugins/importers/refused-items.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { inTemporaryFolder } from '../../kit/temporary-folder.ts';
import { samplePath } from './imported-facts.ts';

const QUIET = { update: () => {}, resize: () => {}, say: () => {}, end: () => {} };

forEachStore('An import into a node', () => {
  let node: TestNode;
  let key: string;
  /** The number of requests that the node still answers before the connection fails. */
  let replies: number;
  let requests: ServerRequest[];

  beforeEach(async () => {
    node = await startTestNode();
    key = await node.addKey();
    replies = Number.POSITIVE_INFINITY;
    requests = [];
  });
  afterEach(() => node.stop());

  const server = {
    url: 'http://node.example',
    async send(request: ServerRequest) {
      if (request.method === 'POST' && replies <= 0) throw new Error('killed');
      if (request.method === 'POST') replies -= 1;
      requests.push(request);
      const { method, path, session, body } = request;
      const headers = { ...request.headers, ...(session !== undefined && { 'svc-session': session }) };
      const reply = await node.request(method, path, { key, headers, ...(body === undefined ? {} : { body }) });
      return {
        status: reply.status,
        header: (name: string) => reply.headers[name],
        document: (reply.body ?? {}) as Record<string, unknown>,
        text: JSON.stringify(reply.body ?? {}),
      };
    },
    saveKey: () => Promise.reject(new Error('no keys here')),
    savedKey: async () => undefined,
    forgetKey: async () => {},
    stateFolder: () => Promise.reject(new Error('no folder here')),
    remember: async () => {},
    remembered: async () => undefined,
  };

  const run = async (
    id: string,
    path: string,
    folder: string,
    { maxFacts = 3, fromStart = false }: { readonly maxFacts?: number; readonly fromStart?: boolean } = {},
  ) => {
    const input = await openInput(path);
    const format = BUILTIN_FORMATS.find((one) => one.id === id);
    const read = await format?.load();
    const items = read?.(input, importSettings({ map: [], utcOffset: 'Z', nowMs: node.clock.nowMs() }));
    const state = stateFileAt(join(folder, 'state.json'), createSystemRandom());
    const before = fromStart ? undefined : await state.read('d');
    const tally = emptyTally();
    const exitCode = await runImport(
      {
        target: { server, clock: node.clock },
        format: id,
        input,
        items: items as AsyncIterable<ImportItem>,
        facts: createDraftFacts({ scope: 'team', garden: undefined, sourcePrefix: 'old/' }),
        maxFacts,
        earlier: NO_EARLIER_IMPORT,
        itemsFile: itemsFileAt(join(folder, 'items')),
        state,
        digest: 'd',
        from: before?.position ?? 0,
        refusedBefore: before?.refused ?? 0,
        progress: QUIET,
        refused: await createRefusedItems(QUIET, join(folder, 'refused.ndjson')),
      },
      tally,
    );
    return { exitCode, tally };
  };

  const total = async (query = ''): Promise<number> =>
    (await node.request('GET', `/v1/facts?include_expired=true&include_contradicted=true&limit=1${query}`, { key }))
      .body.total;

  it('stores the texts with their times, authors, links and conversation', async () => {
    await inTemporaryFolder(async (folder) => {
      const { exitCode, tally } = await run('claude', samplePath('claude'), folder);
      expect([exitCode, tally.stored]).to.deep.equal([0, 12]);
      const { body } = await node.request('GET', '/v1/facts?entity=claude:conversation/k-1', { key });
      const said = body.facts.filter((fact: { relation: string }) => fact.relation.startsWith('memory:message:'));
      expect(
        said.map((fact: Record<string, unknown>) => [fact['timestamp'], fact['source'], fact['scope']]),
      ).to.have.deep.members([
        ['2026-02-14T10:04:22.000Z', 'old/claude:human/acc-1', 'team'],
        ['2026-02-14T10:05:00.000Z', 'old/claude:assistant', 'team'],
      ]);
      const question = said.find((fact: { relation: string }) => fact.relation.endsWith('q-1'));
      const answer = said.find((fact: { relation: string }) => fact.relation.endsWith('q-2'));
      expect(JSON.stringify(answer.derived_from)).to.contain(question.cid);
      const sessions = await node.request('GET', '/v1/facts?session=claude:k-1', { key });
      expect(sessions.body.total).to.equal(3);
    });
  });

  it('stores no fact twice when repeated, not even ended facts, with any request size', async () => {
    await inTemporaryFolder(async (folder) => {
      for (const [id, sample] of [
        ['zep', 'zep'],
        ['mcp-memory', 'memory.jsonl'],
        ['basic-memory', 'notes'],
      ] as const) {
        await run(id, samplePath(sample), folder, { fromStart: true });
        const before = await total();
        await run(id, samplePath(sample), folder, { fromStart: true, maxFacts: 7 });
        expect(await total(), id).to.equal(before);
      }
    });
  });

  it('finds an ended fact behind many of its triple, and behind a retraction', async () => {
    await inTemporaryFolder(async (folder) => {
      // Each export has one more item, because the node replays the reply to an equal request.
      const importItems = async (...memories: readonly string[]) => {
        const path = join(folder, 'mem0.jsonl');
        const items = memories.map((memory) => ({ id: memory, memory, user_id: 'u', expiration_date: '2025-01-01' }));
        await writeFile(path, items.map((item) => `${JSON.stringify(item)}\n`).join(''));
        return (await run('mem0', path, folder, { fromStart: true })).tally;
      };
      await importItems('tea');
      const { body } = await node.request('GET', '/v1/facts?entity=mem0:user/u&include_expired=true', { key });
      const [{ entity, relation, source, scope }] = body.facts;
      const rivals = Array.from({ length: 501 }, (_, v) => ({
        ...{ entity, relation, source, scope, value: { type: 'number', v }, valid_until: '2025-01-01T00:00:00Z' },
      }));
      expect((await node.request('POST', '/v1/facts/batch', { key, body: rivals })).body.accepted).to.equal(501);
      expect(await importItems('tea', 'hat')).to.include({ stored: 1, same: 1 });
      const end = { entity, relation, source, scope, value: { type: 'null', v: null }, confidence: 0 };
      expect((await node.request('POST', '/v1/facts', { key, body: end })).status).to.equal(201);
      expect(await importItems('tea', 'hat', 'map')).to.include({ stored: 1, same: 2 });
    });
  });

  it('continues where an earlier run was killed, without sending acknowledged facts again', async () => {
    await inTemporaryFolder(async (folder) => {
      replies = 2;
      let failure: unknown;
      await run('zep', samplePath('zep'), folder, { maxFacts: 2 }).catch((error: unknown) => {
        failure = error;
      });
      expect(String(failure)).to.contain('killed');
      const sent = requests.filter(({ method }) => method === 'POST').length;
      const stored = await total();
      expect([sent, stored > 0]).to.deep.equal([2, true]);

      replies = Number.POSITIVE_INFINITY;
      requests = [];
      const { tally } = await run('zep', samplePath('zep'), folder, { maxFacts: 2 });
      expect(stored + tally.stored).to.equal(10);
      expect(await total()).to.equal(10);
      const bodies = requests.filter(({ method }) => method === 'POST').map(({ body }) => String(body));
      expect(bodies.join('')).not.to.contain('"zep:session/t-1"');
    });
  });

  it('keeps links to facts of an earlier run', async () => {
    await inTemporaryFolder(async (folder) => {
      replies = 1;
      await run('chatgpt', samplePath('chatgpt'), folder, { maxFacts: 1 }).catch(() => {});
      replies = 1;
      await run('chatgpt', samplePath('chatgpt'), folder, { maxFacts: 1 }).catch(() => {});
      replies = Number.POSITIVE_INFINITY;
      const { tally } = await run('chatgpt', samplePath('chatgpt'), folder, { maxFacts: 1 });
      expect([tally.stored, tally.missedLinks]).to.deep.equal([2, 0]);
      const { body } = await node.request('GET', '/v1/facts?entity=chatgpt:conversation/c-1', { key });
      expect(body.facts.filter((fact: { derived_from: unknown[] }) => fact.derived_from.length === 1)).to.have.length(
        2,
      );
    });
  });

  it('lists the items that the node refuses, and stores the others', async () => {
    await inTemporaryFolder(async (folder) => {
      const path = join(folder, 'm.jsonl');
      const lines = [
        { id: 'a', memory: 'kept', user_id: 'u', created_at: '2025-01-01T00:00:00Z' },
        { id: 'b', memory: 'of the future', user_id: 'u', created_at: '2999-01-01T00:00:00Z' },
        { id: 'c', memory: 'a\u0000b', user_id: 'u' },
      ];
      await writeFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
      const { exitCode, tally } = await run('mem0', path, folder);
      expect([exitCode, tally.stored, tally.refused]).to.deep.equal([2, 1, 2]);
    });
  });
});
