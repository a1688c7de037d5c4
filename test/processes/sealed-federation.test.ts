import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  type FederatedProcess,
  type FederatedProcesses,
  startFederatedProcesses,
} from '../kit/federation/federated-processes.ts';
import { folderBytes } from '../kit/folder-bytes.ts';
import { waitUntil } from '../kit/wait-until.ts';

const LIMIT_MS = 180_000;

interface ToldFact {
  readonly id: string;
  readonly cid: string;
  readonly relation: string;
  readonly value: { readonly v: unknown };
  readonly contradicted: boolean;
}

/** The keys of the nodes, by their place. The last node has none. */
const SEALED = [randomBytes(32), randomBytes(32)];

describe('Two sealed nodes with different keys and a clear one that federate', () => {
  let folder: string;
  let world: FederatedProcesses;
  before(async function () {
    this.timeout(300_000);
    folder = await mkdtemp(join(tmpdir(), 'sealed-federation-'));
    await Promise.all(
      SEALED.map((key, at) => writeFile(join(folder, `${at}`), `${key.toString('hex')}\n`, { mode: 0o600 })),
    );
    world = await startFederatedProcesses(['sqlite', 'postgres', 'sqlite'], (at) =>
      at < SEALED.length ? { SVC_ENCRYPTION_KEY_FILE: join(folder, `${at}`) } : {},
    );
    await world.peerAll();
  });
  after(async function () {
    this.timeout(300_000);
    await world?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const say = async ({ node, name }: FederatedProcess, relation: string, members: object = {}): Promise<ToldFact> => {
    const { status, body } = await node.request('POST', '/v1/facts', {
      entity: 'thing:shared',
      relation,
      value: { type: 'string', v: `${relation} by ${name}` },
      source: `agent:${name}`,
      scope: 'public',
      ...members,
    });
    expect(status, JSON.stringify(body)).to.equal(201);
    return body;
  };
  const told = async ({ node }: FederatedProcess): Promise<readonly ToldFact[]> => {
    const { body } = await node.request('GET', '/v1/facts?entity=thing:shared&include_contradicted=true');
    return [...body.facts].sort((a: ToldFact, b: ToldFact) => (a.cid < b.cid ? -1 : 1));
  };
  const toldBy = (facts: readonly ToldFact[]): object[] =>
    facts.map(({ cid, value, contradicted }) => ({ cid, value, contradicted }));

  it('agree on values, content ids and contradictions, also after one was killed', async function () {
    this.timeout(2 * LIMIT_MS);
    const said: ToldFact[] = [];
    for (const from of world.nodes) {
      const own = await say(from, `memory:of-${from.name}`);
      said.push(own, await say(from, 'memory:colour'), await say(from, 'memory:next', { derived_from: [own.cid] }));
    }
    const agree = async (): Promise<boolean> =>
      (await Promise.all(world.nodes.map(told))).every((facts) => facts.length === said.length);
    await waitUntil('all have all facts', LIMIT_MS, agree);
    await world.nodes[0]?.killAndRestart();
    const [first, ...others] = (await Promise.all(world.nodes.map(told))).map(toldBy);
    for (const other of others) expect(other).to.deep.equal(first);
    const cids = said.map(({ cid }) => cid).sort();
    expect((await told(world.nodes[2] as FederatedProcess)).map(({ cid }) => cid)).to.deep.equal(cids);
    const bytes = await Promise.all(world.nodes.map(({ folder: of }) => folderBytes(of)));
    expect(bytes.map((text) => text.includes('"sealed_keys"'))).to.deep.equal([true, true, false]);
    expect(bytes.map((text) => text.includes('memory:colour by'))).to.deep.equal([false, false, true]);
    for (const at of world.nodes) {
      for (const { id } of await told(at)) {
        const { body } = await at.node.request('POST', `/v1/facts/${id}/verify-cid`);
        expect(body, `${id} on ${at.name}`).to.include({ match: true });
      }
    }
  });
});
