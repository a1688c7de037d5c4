import { expect } from 'chai';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import { defineImportFormat, type ImportReader } from '../../../plugins/importers/importers-api.ts';
import { createGate } from '../../kit/create-gate.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import type { TestReply } from '../../kit/test-request.ts';
import { waitUntil } from '../../kit/wait-until.ts';

const LIMIT_MS = 30_000;
/** The node reads a file in memory in pieces of 64 KiB. */
const PIECES = 40;
const CONTENT = Buffer.alloc(PIECES * 64 * 1024, 'x').toString('base64');

describe('An import whose client leaves before the first line', () => {
  let testNode: TestNode;
  let key: string;
  /** Called for each piece that a format reads. */
  let onPiece: () => Promise<void>;

  before(async () => {
    const read: ImportReader = async function* (input) {
      for await (const file of input.files()) {
        for await (const bytes of file.bytes()) {
          await onPiece();
          if (bytes.length === 0) yield { at: file.path, remark: 'empty' };
        }
      }
    };
    const diary = defineImportFormat('diary', { summary: 's', obtain: 'o', load: async () => read });
    const extra = defineOwnPlugin({
      name: 'diaries',
      summary: 'declares a format',
      declares: [diary],
      setup: () => {},
    });
    testNode = await startTestNode({ plugins: ['keys', 'facts', 'importers'], extra: [extra] });
    key = await testNode.addKey();
  });
  after(() => testNode.stop());

  const send = (signal?: AbortSignal): Promise<TestReply> =>
    testNode.request('POST', '/v1/imports', {
      key,
      body: { name: 'a.diary', content: CONTENT, dry_run: true },
      ...(signal === undefined ? {} : { signal }),
    });

  it('is read no further', async () => {
    const leaving = new AbortController();
    let pieces = 0;
    onPiece = async () => {
      pieces += 1;
      if (pieces === 3) leaving.abort();
    };
    await send(leaving.signal).catch(() => {});
    expect(pieces).to.equal(3);
  });

  it('keeps its place among the imports at a time until its reading has ended', async () => {
    const leaving = new AbortController();
    const { passed: gate, open } = createGate();
    let waiting = 0;
    onPiece = () => {
      waiting += 1;
      return gate;
    };
    const left = [send(leaving.signal), send(leaving.signal)].map((sent) => sent.catch(() => undefined));
    await waitUntil('both imports are read', LIMIT_MS, async () => waiting === 2);
    leaving.abort();
    onPiece = async () => {};
    const third = await send();
    expect([third.status, third.body.code], third.text).to.deep.equal([409, 'limit_reached']);
    open();
    await Promise.all(left);
    expect((await send()).body.detail).to.equal('the file looks like no export of a known format');
  });
});
