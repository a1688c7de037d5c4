import { writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { type ServingNode, Workplace } from '../../adapters/cli/spawned-program.ts';

const line = (n: number, more: Readonly<Record<string, unknown>> = {}): string =>
  JSON.stringify({ entity: `item:${n}`, relation: 'x-t:n', value: { type: 'number', v: n }, source: 'file', ...more });

describe('importing into a running node', () => {
  let place: Workplace;
  let node: ServingNode;

  beforeEach(async () => {
    place = new Workplace();
    node = await place.serve();
  });

  afterEach(() => place.dispose());

  const importFile = (...flags: string[]) =>
    place.run(['import', 'facts.jsonl', '--key-file', 'data/admin.key', ...flags], { SVC_URL: node.url });
  const query = async (search: string): Promise<{ total: number; facts: Record<string, unknown>[] }> => {
    const { stdout } = await place.run(['key', 'add', '--entity', 'agent:reader']);
    const headers = { authorization: `Bearer ${stdout.trim()}` };
    const answer = await fetch(`${node.url}/v1/facts?${search}`, { headers });
    return (await answer.json()) as { total: number; facts: Record<string, unknown>[] };
  };

  it('stores every valid line, names every invalid one, and stores nothing twice', async () => {
    const lines = Array.from({ length: 120 }, (_, n) => line(n));
    lines[41] = line(41, { confidence: 7 });
    lines[77] = '{"entity":';
    writeFileSync(place.path('facts.jsonl'), `${lines.join('\r\n')}\n`);
    const first = await importFile('--batch', '50');

    expect(first.exitCode).to.equal(2);
    expect(first.stderr).to.match(/^line 42: 422 validation: .+\nline 78: 400 malformed_json: .+\n$/);
    expect(first.stdout).to.match(/^120 lines: 118 accepted, 2 refused/);
    expect((await query('source=file')).total).to.equal(118);

    const second = await importFile('--batch', '50');
    expect(second.stdout).to.contain('requests known from an earlier run: 3');
    expect((await query('source=file')).total).to.equal(118);
  });

  it('accepts facts in the form of a node’s answers', async () => {
    writeFileSync(place.path('facts.jsonl'), line(1, { timestamp: '2024-05-01T10:00:00+02:00', scope: 'team' }));
    await importFile();
    const { facts } = await query('source=file');
    writeFileSync(place.path('facts.jsonl'), JSON.stringify({ ...facts[0], source: 'copy' }));

    expect((await importFile()).exitCode).to.equal(0);
    const copies = (await query('source=copy')).facts;
    expect(copies[0]).to.include({ entity: 'item:1', timestamp: '2024-05-01T10:00:00+02:00', scope: 'team' });
  });

  it('explains how to set a missing key', async () => {
    writeFileSync(place.path('facts.jsonl'), line(1));
    const { exitCode, stderr } = await place.run(['import', 'facts.jsonl', '--url', node.url]);

    expect(exitCode).to.equal(1);
    expect(stderr).to.contain('the node answered 401').and.to.contain('hint: set SVC_API_KEY');
  });
});
