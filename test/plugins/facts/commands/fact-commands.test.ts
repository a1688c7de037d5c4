import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { type ServedNode, startServedNode } from '../../../kit/start-served-node.ts';

const HOSTILE = 'CTO\u001b]0;owned\u0007\u009b31m\u202e\u2028 end';
/** Characters that a terminal could take for a control sequence. The command itself writes line ends. */
const STEERS = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

describe('the commands assert, query and fact', () => {
  let at: ServedNode;
  beforeEach(async () => {
    at = await startServedNode();
  });
  afterEach(() => at.stop());

  const factOf = async (...words: string[]) => {
    const { exitCode, stdout, stderr } = await at.run(['assert', ...words, '--json']);
    expect(exitCode, stderr).to.equal(0);
    return JSON.parse(stdout);
  };

  it('store a fact with the entity of the key as source, and print the stored fact', async () => {
    const { exitCode, stdout, stderr } = await at.run(['assert', 'user:noor', 'memory:role', 'CEO']);
    expect([exitCode, stderr]).to.deep.equal([0, '']);
    expect(stdout).to.match(
      /^- {2}CEO\n {3}user:noor memory:role · agent:admin · confidence 1\.00 · just now · local · /,
    );
    const again = await factOf('user:noor', 'memory:role', 'CEO');
    expect(stdout).to.contain(again.id);
  });

  it('store a fact with all options', async () => {
    const base = await factOf('user:noor', 'memory:role', 'CEO');
    await at.ask('POST', '/v1/gardens', { slug: 'board', name: 'The board', scope: 'team' });
    const words = ['--source', 'agent:x', '--confidence', '0.5', '--scope', 'team', '--garden', 'board'];
    const more = ['--valid-until', '2036-01-01T00:00:00Z', '--derived-from', `${base.id},${base.cid}`];
    const fact = await factOf('user:noor', 'memory:boss', 'user:ann', '--type', 'ref', ...words, ...more);
    expect(fact).to.deep.include({ value: { type: 'ref', v: 'user:ann', interpret_as: 'content' }, source: 'agent:x' });
    expect(fact).to.include({ confidence: 0.5, scope: 'team', valid_until: '2036-01-01T00:00:00Z' });
    expect(fact.garden_id).to.match(/\/garden\/board$/);
    const { stdout } = await at.run(['fact', fact.id]);
    expect(stdout).to.contain('valid until 2036').and.to.contain('team, garden board').and.to.contain(fact.cid);
    expect(stdout).to.match(/Derived from:\n(?:.*\n)*user:noor +/);
    const { fact: read, provenance } = JSON.parse((await at.run(['fact', fact.cid, '--json'])).stdout);
    expect(read.id).to.equal(fact.id);
    expect(provenance.derived_from).to.not.equal(undefined);
  });

  it('guess the type of a value and report it, and read a value from standard input', async () => {
    const guessed = await at.run(['assert', 'user:noor', 'memory:age', '42']);
    expect(guessed.stderr).to.equal('The type number was guessed; --type names another.\n');
    const words = ['assert', 'project:atlas', 'memory:notes', '-', '--json'];
    const { stdout } = await at.run(words, undefined, { input: 'one\ntwo\n' });
    expect(JSON.parse(stdout).value).to.include({ type: 'text', v: 'one\ntwo' });
    const negative = await at.run(['assert', '--json', '--', 'room:1', 'memory:celsius', '-5']);
    expect(JSON.parse(negative.stdout).value).to.include({ type: 'number', v: -5 });
  });

  it('print the facts that a new one contradicts, and a command for each remedy', async () => {
    const first = await factOf('user:noor', 'memory:likes', 'tea');
    const { exitCode, stderr } = await at.run(['assert', 'user:noor', 'memory:likes', 'jam']);
    expect(exitCode).to.equal(0);
    expect(stderr).to.contain(`contradicts 1 fact (${first.id})`);
    const winner = /fact-memory-node resolve (svc:conflict:\S+) --winner (\S+)/.exec(stderr) ?? [];
    expect(stderr).to.contain('fact-memory-node relations set memory:likes --values many');
    const settled = await at.run(['resolve', winner[1] ?? '', '--winner', winner[2] ?? '']);
    expect(settled.exitCode, settled.stderr).to.equal(0);
    expect((await factOf('user:noor', 'memory:likes', 'jam')).contradicted).to.equal(false);
  });

  it('correct a fact and end its rivals, with a reason, or add another opinion beside it', async () => {
    const first = await factOf('user:noor', 'memory:role', 'CEO');
    await factOf('user:noor', 'memory:role', 'CTO', '--source', 'agent:x');
    const told = await at.run(['assert', 'user:noor', 'memory:role', 'COO']);
    expect(told.stderr).to.match(/correct it: {2}fact-memory-node correct \S+ 'the right value' --reason 'why'/);
    const right = await at.run(['correct', first.id, 'CFO', '--reason', 'asked Noor', '--json']);
    expect(right.exitCode, right.stderr).to.equal(0);
    const fact = JSON.parse(right.stdout);
    expect([fact.contradicted, fact.replaces.length, fact.replaces[0]]).to.deep.equal([false, 3, first.id]);
    expect((await at.ask('GET', '/v1/conflicts')).body.conflicts).to.deep.equal([]);
    const [reason] = (await at.ask('GET', `/v1/facts?entity=svc:fact:${fact.id}&relation=svc:reason`)).body.facts;
    expect(reason.value.v).to.equal('asked Noor');
    const late = await at.run(['correct', first.id, 'CFO again']);
    expect(late.exitCode).to.not.equal(0);
    const opinion = JSON.parse((await at.run(['correct', fact.id, '42', '--opinion', '--json'])).stdout);
    expect(opinion)
      .to.include({ contradicted: true })
      .and.deep.include({ value: { ...fact.value, v: '42' } });
  });

  it('end only the facts that --replaces names, and refuse ids of facts that have ended', async () => {
    const first = await factOf('user:noor', 'memory:role', 'CEO');
    const other = await factOf('user:noor', 'memory:role', 'CTO', '--source', 'agent:x');
    const fact = await factOf('user:noor', 'memory:role', 'CFO', '--replaces', first.id);
    expect(fact.replaces).to.deep.equal([first.id]);
    const contested = async () => {
      const { facts } = (await at.ask('GET', '/v1/facts?entity=user:noor&include_contradicted=true')).body;
      return facts.flatMap((one: { id: string; contradicted: boolean }) => (one.contradicted ? one.id : [])).sort();
    };
    expect(await contested()).to.deep.equal([other.id, fact.id].sort());
    const refused = await at.run(['assert', 'user:noor', 'memory:role', 'COO', '--replaces', first.id]);
    expect([refused.exitCode, refused.stdout]).to.deep.equal([1, '']);
    expect(refused.stderr).to.contain('replaces names a fact that is no live fact');
    await factOf('user:noor', 'memory:role', '--retract', '--replaces', other.id);
    expect((await at.ask('GET', '/v1/facts?entity=user:noor')).body.facts[0]).to.include({
      id: fact.id,
      contradicted: false,
    });
  });

  it('refuse the reply of a server that is no node', async () => {
    const server = createServer(({ url }, reply) => {
      const status = Number(/^\/(\d+)\//.exec(url ?? '')?.[1] ?? 200);
      if (status === 0) {
        reply.destroy();
        return;
      }
      reply.writeHead(status, status === 201 ? { 'X-Request-Id': 'r', 'Content-Type': 'text/html' } : {});
      reply.end('{"ok":true}');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      for (const [below, said] of [
        ['201', 'is no node'],
        ['404', 'is no node'],
        ['413', 'a proxy in front of the node refused the size of the request'],
        ['502', 'a proxy does not reach the node'],
        ['504', 'a proxy got no reply from the node in time'],
      ]) {
        const { exitCode, stderr } = await at.run(['query'], undefined, {
          variables: { SVC_URL: `http://${address}/${below}` },
        });
        expect(exitCode, below).to.equal(1);
        expect(stderr).to.contain(`${said}: it replied with status ${below}`);
      }
      const sealed = await at.run(['query'], undefined, { variables: { SVC_URL: `https://${address}` } });
      expect(sealed.stderr).to.contain('no answer from').and.to.contain('begin the address with http://');
      const cut = await at.run(['query'], undefined, { variables: { SVC_URL: `http://${address}/0` } });
      expect(cut.stderr).to.contain('begin the address with https://');
      const redirected = await at.run(['query'], undefined, { variables: { SVC_URL: `http://${address}/307` } });
      expect(redirected.stderr).to.contain('sends its callers to another address');
      const variables = { SVC_URL: `http://${address}` };
      for (const words of [
        ['recall', 'Who?'],
        ['query'],
        ['assert', 'user:noor', 'memory:role', 'CEO', '--source', 'a'],
      ]) {
        const { exitCode, stdout, stderr } = await at.run(words, undefined, { variables });
        expect([exitCode, stdout], words[0]).to.deep.equal([1, '']);
        expect(stderr).to.contain('the server at this address is no node').and.to.contain('--url');
      }
    } finally {
      server.close();
    }
  });

  it('retract a fact', async () => {
    await factOf('user:noor', 'memory:role', 'CEO');
    const retraction = await at.run(['assert', 'user:noor', 'memory:role', '--retract']);
    expect(retraction.stdout).to.match(/^- {2}retraction\n {3}user:noor memory:role /);
    const { stdout } = await at.run(['query', '--entity', 'user:noor', '--json']);
    expect(JSON.parse(stdout).facts.map(({ confidence }: { confidence: number }) => confidence)).to.deep.equal([0]);
    const all = await at.run(['query', '--entity', 'user:noor', '--include-retracted']);
    expect(all.stdout).to.contain('CEO').and.to.contain('retraction');
  });

  for (const [words, complaint] of [
    [['assert', 'user:noor', 'memory:role'], 'the value is missing'],
    [['assert', 'user:noor', 'memory:role', 'x', '--retract'], '--retract takes no value'],
    [['assert', 'user:noor', 'memory:role', 'x', '--confidence', '2'], '--confidence must be a number from 0 to 1'],
    [['assert', 'user:noor', 'memory:role', 'x', '--scope', 'galaxy'], 'local, team, company, public'],
    [['assert', 'user:noor', 'memory:age', 'x', '--type', 'number'], 'the value is no number'],
    [['assert', ' ', 'memory:role', 'x'], 'body.entity'],
    [['query', '--as-of', 'soon'], 'as_of'],
    [['query', '--min-confidence', ''], '--min-confidence must be a number from 0 to 1'],
    [['fact', '00000000-0000-4000-8000-000000000000'], 'error: '],
  ] as const) {
    it(`refuse "${words.join(' ')}" and say why`, async () => {
      const { exitCode, stdout, stderr } = await at.run(words);
      expect([exitCode, stdout]).to.deep.equal([1, '']);
      expect(stderr).to.contain(complaint);
    });
  }

  it('list the filters of a query, and report that more facts follow', async () => {
    for (const role of ['one', 'two', 'three'])
      await factOf('user:noor', `memory:${role}`, role, '--source', 'agent:s');
    const one = await at.run(['query', '--relation', 'memory:two']);
    expect(one.stdout).to.match(/^1\. {2}two\n/);
    expect(one.stderr).to.equal('1 of 1 fact\n');
    const cut = await at.run(['query', '--source', 'agent:s', '--limit', '2']);
    expect(cut.stderr).to.equal('2 of 3 facts\nThere is more: add --all.\n');
    const none = await at.run(['query', '--source', 'agent:nobody']);
    expect([none.exitCode, none.stdout, none.stderr]).to.deep.equal([0, '', 'No fact that you may see fits.\n']);
  });

  it('print all pages of a query, with one fact a line when a program reads them', async () => {
    const bodies = Array.from({ length: 620 }, (_, n) => ({
      entity: `item:${n}`,
      relation: 'memory:place',
      value: { type: 'number', v: n },
      source: 'agent:s',
    }));
    await at.ask('POST', '/v1/facts/batch', bodies);
    const { exitCode, stdout, stderr } = await at.run(['query', '--all', '--json']);
    expect([exitCode, stderr]).to.deep.equal([0, '']);
    const facts = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(new Set(facts.map(({ entity }) => entity)).size).to.equal(620);
    const shown = await at.run(['query', '--all']);
    expect(shown.stdout).to.match(/\n620\. +\d+\n/);
  });

  it('print facts as of a past moment', async () => {
    const first = await factOf('user:noor', 'memory:role', 'CEO');
    await factOf('user:noor', 'memory:role', '--retract');
    const { stdout } = await at.run(['query', '--entity', 'user:noor', '--as-of', first.hlc]);
    expect(stdout).to.match(/^1\. {2}CEO\n/);
    expect((await at.run(['fact', first.id, '--as-of', first.hlc])).stdout).to.match(/^- {2}CEO\n/);
  });

  it('print no control sequences of facts, and colours only to a terminal', async () => {
    const fact = await factOf('user:noor', 'memory:role', HOSTILE);
    expect(fact.value.v).to.equal(HOSTILE);
    for (const words of [['query'], ['query', '--json'], ['query', '--all', '--json'], ['fact', fact.id]]) {
      const { exitCode, stdout } = await at.run(words);
      expect(exitCode).to.equal(0);
      expect(stdout).to.contain('CTO').and.not.to.match(STEERS);
    }
  });

  it('fit the width of a terminal, and omit colours on request', async () => {
    await factOf('user:noor', 'memory:role', `${'long words '.repeat(20)}end`);
    const colourful = await at.run(['query'], undefined, { terminal: { columns: 60 } });
    expect(colourful.stdout).to.contain('\u001b[1mlong words');
    const terminal = { columns: 60 };
    const plain = await at.run(['query'], undefined, { terminal, variables: { NO_COLOR: '1' } });
    expect(plain.stdout).not.to.contain('\u001b');
    const lines = plain.stdout.trimEnd().split('\n');
    expect(Math.max(...lines.map((line) => line.length))).to.be.at.most(60);
    expect(plain.stdout.replace(/\s+/g, ' ')).to.contain('long words end');
    expect(colourful.stdout.replaceAll(/\u001b\[\d+m/g, '')).to.equal(plain.stdout);
  });
});
