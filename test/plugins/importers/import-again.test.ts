import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { type ServedNode, startServedNode } from '../../kit/start-served-node.ts';

describe('A newer export of the same source', () => {
  let served: ServedNode;
  let count = 0;
  /** A folder and a user of its own for each test, so that the tests share a node. */
  let folder: string;
  let user: string;

  before(async () => {
    served = await startServedNode();
  });
  after(() => served.stop());
  beforeEach(async () => {
    count += 1;
    user = `noor-${count}`;
    folder = join(served.folder, user);
    await mkdir(folder);
  });

  const write = async (name: string, memories: Readonly<Record<string, string>>, more: object = {}) => {
    const lines = Object.entries(memories).map(([id, memory]) => ({
      id: `${count}-${id}`,
      memory,
      user_id: user,
      ...more,
    }));
    await writeFile(join(folder, name), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  };
  const run = (name: string, ...more: readonly string[]) =>
    served.run(['import-from', 'mem0', join(folder, name), ...more]);
  /** The values of the live facts of the user, in alphabetical order. */
  const live = async (): Promise<readonly string[]> => {
    const { body } = await served.ask('GET', `/v1/facts?entity=mem0:user/${user}&limit=500&include_contradicted=true`);
    const facts = body.facts as readonly { confidence: number; value: { v: string } }[];
    return facts
      .filter(({ confidence }) => confidence > 0)
      .map(({ value }) => value.v)
      .sort();
  };
  const sum = (stdout: string): string => /\d+ items? read = .*/.exec(stdout)?.[0] ?? stdout;

  const retract = (id: string) =>
    served.ask('POST', '/v1/facts', {
      entity: `mem0:user/${user}`,
      relation: `memory:note:${count}-${id}`,
      value: { type: 'null', v: null },
      source: 'user:noor',
      confidence: 0,
    });

  /** Moves the state back to the items that a run had done when it was killed. */
  const comeBackTo = async (state: string, position: number): Promise<void> => {
    const last = JSON.parse(await readFile(state, 'utf8'));
    await writeFile(state, JSON.stringify({ ...last, position, isDone: false }));
  };

  it('finds the items of a run that was killed after its last request and repeated', async () => {
    const state = join(folder, 'state');
    await write('old.jsonl', { a: 'tea', b: 'hat' });
    await run('old.jsonl', '--state', state);
    await retract('b');
    await comeBackTo(state, 2);
    await run('old.jsonl', '--state', state);
    await write('new.jsonl', { a: 'tea', b: 'hat', c: 'map' });
    const { stdout } = await run('new.jsonl', '--state', state);
    expect(sum(stdout)).to.equal('3 items read = 1 stored + 2 same + 0 left out + 0 refused');
    expect(await live()).to.deep.equal(['map', 'tea']);
  });

  it('finds the items of a run that was killed while it wrote one down, and repeated', async () => {
    const state = join(folder, 'state');
    await write('old.jsonl', { a: 'tea', b: 'hat' });
    await run('old.jsonl', '--state', state, '--batch', '1');
    await retract('b');
    await comeBackTo(state, 1);
    const [first = '', second = ''] = (await readFile(`${state}.items`, 'utf8')).split('\n');
    await writeFile(`${state}.items`, `${first}\n${second.slice(0, 20)}`);
    await rename(`${state}.items`, `${state}.items.next`);
    await run('old.jsonl', '--state', state);
    await write('new.jsonl', { a: 'tea', b: 'hat', c: 'map' });
    const { stdout } = await run('new.jsonl', '--state', state);
    expect(sum(stdout)).to.equal('3 items read = 1 stored + 2 same + 0 left out + 0 refused');
  });

  it('removes the draft that a killed run has left, and keeps its list of refused items', async () => {
    const [state, refused] = [join(folder, 'state'), join(folder, 'refused')];
    const future = { id: 'b', memory: 'later', user_id: user, created_at: '2999-01-01T00:00:00Z' };
    await write('old.jsonl', { a: 'tea' });
    await writeFile(join(folder, 'old.jsonl'), `${JSON.stringify(future)}\n`, { flag: 'a' });
    const draft = '.state.5f0c2b1e-7a64-4a0e-9a0b-0d5a3f2f9c11.partial';
    await writeFile(join(folder, draft), '{');
    const options = ['--state', state, '--refused', refused];
    expect((await run('old.jsonl', ...options)).exitCode).to.equal(2);
    const listed = await readFile(refused, 'utf8');
    expect(listed).to.contain('reason');
    await comeBackTo(state, 2);
    expect((await run('old.jsonl', ...options)).exitCode).to.equal(2);
    expect(await readFile(refused, 'utf8')).to.equal(listed);
    expect((await readdir(folder)).sort()).to.deep.equal(['old.jsonl', 'refused', 'state', 'state.items']);
  });

  it('adds only new items, and does not restore facts that somebody has retracted', async () => {
    await write('old.jsonl', { a: 'tea', b: 'hat' });
    await run('old.jsonl');
    await retract('b');
    await write('new.jsonl', { a: 'tea', b: 'hat', c: 'map' });
    for (const dry of [['--dry-run'], []]) {
      const { stdout, exitCode } = await run('new.jsonl', ...dry);
      const verb = dry.length === 0 ? 'stored' : 'to be stored';
      expect([exitCode, sum(stdout)]).to.deep.equal([0, `3 items read = 1 ${verb} + 2 same + 0 left out + 0 refused`]);
    }
    expect(await live()).to.deep.equal(['map', 'tea']);
  });

  it('ends facts whose items the source has deleted or changed only with --follow-deletions', async () => {
    await write('old.jsonl', { a: 'tea', b: 'hat', c: 'map' });
    await run('old.jsonl');
    await write('new.jsonl', { a: 'tea', b: 'cap' });
    const dry = await run('new.jsonl', '--dry-run', '--follow-deletions');
    expect(dry.stdout).to.contain('to be ended, deleted or changed in the source: 2');
    expect(await live()).to.deep.equal(['hat', 'map', 'tea']);

    await run('new.jsonl');
    expect(await live()).to.deep.equal(['cap', 'hat', 'map', 'tea']);

    const followed = await run('new.jsonl', '--follow-deletions');
    expect([followed.exitCode, sum(followed.stdout)]).to.deep.equal([
      0,
      '2 items read = 1 stored + 1 same + 0 left out + 0 refused',
    ]);
    expect(followed.stdout).to.contain('ended, deleted or changed in the source: 2');
    expect(await live()).to.deep.equal(['cap', 'tea']);

    await write('later.jsonl', { a: 'tea', b: 'cap', c: 'map' });
    const later = await run('later.jsonl', '--follow-deletions');
    expect(later.stdout).not.to.contain('ended');
    expect(await live()).to.deep.equal(['cap', 'map', 'tea']);
  });

  it('ends nothing if it is of another source or damaged, or if no earlier import is known', async () => {
    await write('old.jsonl', { a: 'tea' });
    const first = await run('old.jsonl', '--follow-deletions');
    expect([first.exitCode, first.stderr]).to.deep.equal([
      0,
      'no earlier import of this source is known here, so nothing is ended\n',
    ]);
    for (const [name, text, complaint] of [
      ['other.jsonl', `{"id":"z","memory":"sea","user_id":"u"}`, 'shares no item'],
      ['broken.jsonl', `{"id":"z","user_id":"u"}`, 'may look deleted'],
      ['short.json', `[{"id":"z","memory":"sea"`, 'ends in the middle'],
    ] as const) {
      await writeFile(join(folder, name), text);
      const { exitCode, stderr } = await run(name, '--follow-deletions');
      expect([exitCode, stderr.includes(complaint)], stderr).to.deep.equal([1, true]);
    }
    expect(await live()).to.deep.equal(['tea']);
  });

  it('sends an item again that the node refused before', async () => {
    await write('old.jsonl', { a: 'tea' });
    await run('old.jsonl');
    await write('new.jsonl', { a: 'tea', b: 'a\u0000b' });
    const refused = '2 items read = 0 stored + 1 same + 0 left out + 1 refused';
    expect(sum((await run('new.jsonl')).stdout)).to.equal(refused);
    await write('newer.jsonl', { a: 'tea', b: 'a\u0000b', c: 'map' });
    expect(sum((await run('newer.jsonl')).stdout)).to.equal(
      '3 items read = 1 stored + 1 same + 0 left out + 1 refused',
    );
  });
});
