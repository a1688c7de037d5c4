import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { type ServingNode, Workplace } from '../../adapters/cli/spawned-program.ts';
import { comesTrue } from '../../kit/comes-true.ts';

describe('the commands for relations', () => {
  let place: Workplace;
  let node: ServingNode;
  let headers: Readonly<Record<string, string>>;
  before(async () => {
    place = new Workplace();
    node = await place.serve();
    const key = readFileSync(place.path('data/admin.key'), 'utf8').trim();
    headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  });
  after(() => place.dispose());

  const relations = (...words: string[]) => place.run(['relations', ...words]);
  /** Returns the status of an assertion of a number. */
  const statusOf = async (v: number): Promise<number> => {
    const body = { entity: 'user:a', relation: 'memory:likes', value: { type: 'number', v }, source: 'agent:a' };
    return (await fetch(`${node.url}/v1/facts`, { method: 'POST', headers, body: JSON.stringify(body) })).status;
  };

  it('set, list and remove rules, which a running node on the same store applies', async () => {
    const set = await relations('set', 'Memory:Likes', '--values', 'many', '--type', 'string');
    expect([set.exitCode, set.stderr]).to.deep.equal([0, 'Memory:Likes holds many values of type string\n']);
    let v = 0;
    await comesTrue(async () => {
      v += 1;
      return (await statusOf(v)) === 422;
    });
    const { rules } = (await (await fetch(`${node.url}/v1/relations`, { headers })).json()) as { rules: unknown[] };
    expect((await relations('list', '--json')).stdout).to.equal(
      rules.map((rule) => `${JSON.stringify(rule)}\n`).join(''),
    );
    expect((await relations('list')).stdout).to.match(/^pattern +values +type\nMemory:Likes +many +string\n$/);
    expect((await relations('set', 'rel:*', '--values', 'one')).stderr).to.equal('rel:* holds one value\n');
    const removed = await relations('remove', 'memory:likes');
    expect([removed.exitCode, removed.stderr]).to.deep.equal([0, 'the rule for memory:likes is removed\n']);
    await comesTrue(async () => (await statusOf(0)) === 201);
    expect((await relations('list')).stdout).to.not.match(/likes/i);
  });

  it('refuse an unknown rule, an invalid number and an unknown tenant', async () => {
    const refusals: readonly (readonly [words: readonly string[], complaint: string])[] = [
      [['remove', 'memory:none'], 'there is no rule with this pattern'],
      [['set', 'memory:likes', '--values', 'few'], '--values'],
      [['set', 'a*b', '--values', 'many'], 'may have a * only at its end'],
      [['list', '--tenant', 'acme'], 'tenant'],
    ];
    for (const [words, complaint] of refusals) {
      const { exitCode, stdout, stderr } = await relations(...words);
      expect([exitCode, stdout], words.join(' ')).to.deep.equal([1, '']);
      expect(stderr).to.contain(complaint);
    }
  });
});
