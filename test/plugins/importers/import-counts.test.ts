import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { type ServedNode, startServedNode } from '../../kit/start-served-node.ts';

const DAY_MS = 86_400_000;

describe('The counts of an import', () => {
  let served: ServedNode;
  before(async () => {
    served = await startServedNode();
  });
  after(() => served.stop());

  const inFolder = (name: string): string => join(served.folder, name);

  /** Returns the numbers in the line of the summary that counts the items. */
  const sumOf = (stdout: string): readonly number[] => {
    const [line = ''] = /^.*items? read = .*$/m.exec(stdout) ?? [];
    const [read = NaN, ...outcomes] = [...line.matchAll(/\d+/g)].map(Number);
    expect(
      outcomes.reduce((sum, one) => sum + one, 0),
      stdout,
    ).to.equal(read);
    return [read, ...outcomes];
  };

  const lines = [
    { id: 'a', memory: 'kept', user_id: 'u', categories: ['food'] },
    { id: 'b', memory: 'kept', user_id: 'u', created_at: new Date(Date.now() + DAY_MS).toISOString() },
    { id: 'c', memory: 'a\u0000b', user_id: 'u' },
    { id: 'd', memory: 'gone', state: 'deleted' },
    { id: 'e', memory: '', user_id: 'u' },
    { id: 'f', memory: 'x'.repeat(1_100_000), user_id: 'u' },
    { id: 'g', memory: 'ended', user_id: 'u', created_at: '2025-01-02', expiration_date: '2025-01-01' },
    { id: 'a', memory: 'kept', user_id: 'u' },
    { id: 'h', memory: 'of the node', user_id: 'u', actor_id: 'x', metadata: { big: 1 } },
  ];

  const write = async (name: string): Promise<string> => {
    await writeFile(inFolder(name), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    return inFolder(name);
  };

  it('include every item once, and equal the counts of a dry run', async () => {
    const path = await write('m.jsonl');
    for (const more of [[], ['--batch', '1', '--scope', 'team']]) {
      const dry = await served.run(['import-from', 'mem0', path, '--dry-run', ...more]);
      const before = (await served.ask('GET', '/v1/facts?include_expired=true&limit=1')).body.total;
      const real = await served.run(['import-from', 'mem0', path, '--from-start', ...more]);
      const after = (await served.ask('GET', '/v1/facts?include_expired=true&limit=1')).body.total;
      expect(sumOf(dry.stdout)).to.deep.equal(sumOf(real.stdout));
      expect(sumOf(real.stdout)).to.deep.equal([11, 5, 1, 1, 4]);
      expect([dry.exitCode, real.exitCode, after - before]).to.deep.equal([2, 2, 5]);
      expect(dry.stderr.split('\n').sort()).to.deep.equal(real.stderr.split('\n').sort());
      const again = await served.run(['import-from', 'mem0', path, '--dry-run', ...more]);
      expect(sumOf(again.stdout)).to.deep.equal([11, 0, 6, 1, 4]);
    }
  });

  it('follow from the checks of the importer alone if no node replies', async () => {
    const path = await write('o.jsonl');
    const variables = { SVC_URL: 'http://127.0.0.1:9' };
    const { exitCode, stdout } = await served.run(['import-from', 'mem0', path, '--dry-run'], undefined, { variables });
    expect([exitCode, sumOf(stdout)]).to.deep.equal([2, [11, 5, 1, 1, 4]]);
    expect(stdout).to.contain('no node answered');
  });

  it('refuse an invalid validity period in the same way with and without a node', async () => {
    const path = inFolder('v.csv');
    await writeFile(path, 'id,from,until\n1,2030-01-01,2031-01-01\n2,2032-01-01,2031-01-01\n');
    const map = 'entity=v:{id},relation==memory:x,value=id,valid_from=from,valid_until=until';
    for (const variables of [{}, { SVC_URL: 'http://127.0.0.1:9' }]) {
      const argv = ['import-from', 'csv', path, '--map', map, '--dry-run'];
      const { stdout, stderr } = await served.run(argv, undefined, { variables });
      expect([sumOf(stdout), stderr.includes('must not be later than valid_until')]).to.deep.equal([
        [2, 1, 0, 0, 1],
        true,
      ]);
    }
  });

  it('include the facts that the rules of the node refuse, in a dry run too', async () => {
    const path = inFolder('t.csv');
    await writeFile(
      path,
      'entity,relation,garden,scope\nsvc:fact:1,svc:trust,,\na,memory:x,no-such-garden,\na,memory:y,,\n',
    );
    const map = ['--map', 'entity=entity,relation=relation,value==v,garden=garden,scope=scope'];
    const dry = await served.run(['import-from', 'csv', path, ...map, '--dry-run']);
    const real = await served.run(['import-from', 'csv', path, ...map]);
    expect(sumOf(dry.stdout)).to.deep.equal([3, 1, 0, 0, 2]);
    expect(dry.stderr).to.equal(real.stderr).and.contain('reserved_namespace').and.contain('garden');
  });

  it('end with an error if the node refuses the key, in a dry run too', async () => {
    const reader = { raw_key: 'a-key-that-reads-and-nothing-else', entity_uri: 'agent:reader', permissions: ['read'] };
    expect((await served.ask('POST', '/v1/auth/keys', reader)).status).to.equal(201);
    const path = await write('r.jsonl');
    const { exitCode, stderr } = await served.run(['import-from', 'mem0', path, '--dry-run'], reader.raw_key);
    expect([exitCode, stderr.includes('"write"')]).to.deep.equal([1, true]);
  });
});
