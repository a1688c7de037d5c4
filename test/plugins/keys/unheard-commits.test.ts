import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { NodeHandle } from '../../../adapters/cli/command-line-deps.ts';
import { createNode } from '../../../config/create-node.ts';
import { openNode } from '../../../config/open-node.ts';
import type { Requires, Resolved } from '../../../kernel/container/requires.ts';
import { ServiceError } from '../../../ports/ports.ts';
import { type CommandResult, runInProcess } from '../../adapters/cli/run-in-process.ts';
import { Workplace } from '../../adapters/cli/spawned-program.ts';
import { createMemoryLogger } from '../../fakes/memory-logger.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { createTestDatabase, type TestDatabase } from '../../kit/postgres-server.ts';

/** The services whose writes are committed without word of it. */
const WRITES: ReadonlySet<string | symbol> = new Set(['register', 'create', 'issue']);

const unheard = (service: object): object =>
  new Proxy(service, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return async (...given: unknown[]): Promise<unknown> => {
        const result: unknown = await member.apply(target, given);
        if (WRITES.has(name)) throw new ServiceError('commit_unknown', 'the connection was lost while committing');
        return result;
      };
    },
  });

/** Returns the node of a command that never hears of the commits of its writes. */
const deafened = (handle: NodeHandle): NodeHandle => ({
  ...handle,
  use: <R extends Requires>(requires: R): Resolved<R> => {
    const services = Object.entries(handle.use(requires) as Record<string, object>);
    return Object.fromEntries(services.map(([name, one]) => [name, unheard(one)])) as Resolved<R>;
  },
});

forEachStore('a command that does not hear whether its write was committed', (kind) => {
  let place: Workplace;
  let database: TestDatabase | undefined;
  let env: Readonly<Record<string, string>>;
  beforeEach(async () => {
    place = new Workplace();
    mkdirSync(place.path('data'));
    database = kind === 'sqlite' ? undefined : await createTestDatabase();
    env = {
      SVC_DATA_FOLDER: place.path('data'),
      ...(database === undefined ? { SVC_DB_PATH: place.path('data/svc.db') } : { SVC_DATABASE_URL: database.url }),
      SVC_MULTI_TENANT_ENABLED: 'true',
    };
    await heard(['init']);
  });
  afterEach(async () => {
    await place.dispose();
    await database?.drop();
  });

  const heard = (argv: readonly string[]): Promise<CommandResult> => runInProcess(argv, { env, openNode });
  const run = (argv: readonly string[]): Promise<CommandResult> =>
    runInProcess(argv, { env, openNode: async (options) => deafened(await openNode(options)) });
  /** The holder of a key, as a node says. */
  const holderOf = async (key: string): Promise<Record<string, unknown>> => {
    const node = await createNode({ env: { ...env, SVC_PORT: '0' }, adapters: { log: createMemoryLogger([]) } });
    const { url } = await node.start();
    const reply = await fetch(`${url}/v1/me`, { headers: { authorization: `Bearer ${key}` } });
    await node.stop();
    return (await reply.json()) as Record<string, unknown>;
  };

  it('shows the key of "key add", or leaves its file, and says how to find out', async () => {
    const shown = await run(['key', 'add', '--entity', 'agent:shown']);
    expect(shown.exitCode).to.equal(1);
    expect(shown.stderr).to.contain('may be registered').and.to.contain('key list');
    expect(await holderOf(shown.stdout.trim())).to.include({ entity_uri: 'agent:shown' });
    const file = join(place.folder, 'filed.key');
    const filed = await run(['key', 'add', '--entity', 'agent:filed', '--out', file]);
    expect([filed.exitCode, filed.stdout]).to.deep.equal([1, '']);
    expect(filed.stderr).to.contain(`written to ${file}`);
    expect(await holderOf(readFileSync(file, 'utf8').trim())).to.include({ entity_uri: 'agent:filed' });
    const [first] = (await heard(['key', 'list', '--json'])).stdout.split('\n');
    expect(JSON.parse(first ?? '')).to.include({ entityUri: 'agent:filed' });
  });

  it('shows the first key of "tenant create"', async () => {
    const { exitCode, stdout, stderr } = await run(['tenant', 'create', 'acme']);
    expect(exitCode).to.equal(1);
    expect(stderr).to.contain('the tenant may be made').and.to.contain('tenant show');
    expect(await holderOf(stdout.trim())).to.include({ tenant_id: 'acme' });
  });

  it('says that "token mint" may have recorded a token that nobody holds', async () => {
    const asked = ['--subject', 'agent:x', '--verb', 'read', '--object', 'user:y'];
    const { exitCode, stdout, stderr } = await run(['token', 'mint', ...asked]);
    expect([exitCode, stdout]).to.deep.equal([1, '']);
    expect(stderr).to.contain('may be recorded').and.to.contain('token list');
    const [first] = (await heard(['token', 'list', '--json'])).stdout.split('\n');
    expect(JSON.parse(first ?? '')).to.include({ subject: 'agent:x', revokedAt: null });
  });
});
