import { execFile } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect } from 'chai';
import { Workplace } from '../../adapters/cli/spawned-program.ts';
import { projectRoot } from '../../architecture/source-files.ts';
import { pageText } from '../../documents/read-pages.ts';
import { freePort } from '../../kit/free-port.ts';
import { waitUntil } from '../../kit/wait-until.ts';

const PAGE = 'docs/guides/recover.md';
const LIMIT_MS = 300_000;
const runFile = promisify(execFile);

/** A service manager for one node, with the words of the page. */
const SYSTEMCTL = `#!/bin/sh
if [ "$1" = stop ]; then
  kill "$(cat service.pid)"
  while kill -0 "$(cat service.pid)" 2>/dev/null; do sleep 0.1; done
  exit 0
fi
[ ! -f environment ] || { set -a; . ./environment; set +a; }
fact-memory-node start >service.log 2>&1 &
echo $! >service.pid
tries=0
until node -e 'fetch(process.argv[1]).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))' \\
  "http://127.0.0.1:$SVC_PORT/healthz"; do
  kill -0 "$(cat service.pid)" 2>/dev/null || { cat service.log >&2; exit 1; }
  tries=$((tries + 1)); [ $tries -lt 600 ] || exit 1
  sleep 0.2
done
`;

/** Returns the blocks of commands in a section of the page. */
const blocksOf = (title: string): readonly string[] => {
  const [, section = ''] = pageText(PAGE).split(`\n## ${title}\n`);
  const [own = ''] = section.split('\n## ');
  const blocks = [...own.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, code = '']) => code);
  if (blocks.length === 0) throw new Error(`no commands under "${title}"`);
  return blocks;
};

const commandsOf = (title: string): string => blocksOf(title).join('');

/** A machine with a node, a target of backups and a safe, which follows the commands of the page. */
class Machine {
  readonly work = new Workplace();
  readonly #port: string;
  readonly #env: Readonly<Record<string, string>>;

  constructor(port: number, places: string) {
    this.#port = String(port);
    const bin = this.work.path('bin');
    mkdirSync(bin);
    const main = join(projectRoot(), 'dist/config/main.js');
    this.#script('fact-memory-node', `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`);
    this.#script('systemctl', SYSTEMCTL);
    this.places = places;
    this.#env = {
      PATH: `${bin}:${process.env['PATH'] ?? ''}`,
      HOME: this.work.folder,
      SVC_PORT: this.#port,
      SVC_TOMBSTONES_ENABLED: 'true',
    };
  }

  /** The folder that stands for the disks apart from the machine. */
  readonly places: string;

  #script(name: string, text: string): void {
    writeFileSync(this.work.path(`bin/${name}`), text);
    chmodSync(this.work.path(`bin/${name}`), 0o755);
  }

  /** Types commands, with the real names in the place of those on the page. */
  async type(commands: string, names: Readonly<Record<string, string>> = {}): Promise<string> {
    const real = Object.entries(names).reduce((text, [shown, name]) => text.replaceAll(shown, name), commands);
    const moved = real.replaceAll('/mnt/nas', `${this.places}/nas`).replaceAll('/safe', `${this.places}/safe`);
    const { stdout, stderr } = await runFile('bash', ['--norc', '-c', moved], {
      cwd: this.work.folder,
      env: this.#env,
    });
    return stdout + stderr;
  }

  async facts(entity: string, keyFile = 'data/admin.key'): Promise<readonly string[]> {
    const key = readFileSync(this.work.path(keyFile), 'utf8').trim();
    const reply = await fetch(`http://127.0.0.1:${this.#port}/v1/facts?entity=${entity}`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    if (!reply.ok) return [`status ${reply.status}`];
    const { facts } = (await reply.json()) as { readonly facts: readonly { readonly value: { readonly v: string } }[] };
    return facts.map(({ value }) => value.v);
  }

  async assert(entity: string, value: string, source = 'agent:me'): Promise<void> {
    const named = `--source ${source} --scope company --key-file data/admin.key`;
    await this.type(`fact-memory-node assert ${entity} memory:role "${value}" ${named}`);
  }

  get backup(): string {
    return readdirSync(this.work.path('data/backups')).find((name) => name.startsWith('backup-')) ?? '';
  }

  async dispose(): Promise<void> {
    if (existsSync(this.work.path('service.pid'))) await this.type('systemctl stop fact-memory-node').catch(() => '');
    await this.work.dispose();
  }
}

const SHOWN_BACKUP = 'backup-20261123T021500123Z-1a2b3c4d';

describe('the guide for disasters, followed from the page alone', function () {
  this.timeout(LIMIT_MS);
  let places: Workplace;
  let machine: Machine;
  const machines: Machine[] = [];
  const newMachine = async (): Promise<Machine> => {
    const made = new Machine(await freePort(), places.folder);
    machines.push(made);
    return made;
  };
  beforeEach(async () => {
    places = new Workplace();
    mkdirSync(places.path('safe'));
    machine = await newMachine();
    await machine.type('systemctl start fact-memory-node');
    await machine.assert('user:alice', 'first words');
  });
  afterEach(async () => {
    for (const one of machines.splice(0)) await one.dispose();
    await places.dispose();
  });

  const keep = async (): Promise<void> => {
    await machine.type('SVC_BACKUP_TARGET=/mnt/nas/node-one fact-memory-node backup');
    copyFileSync(machine.work.path('data/node.key'), places.path('safe/node.key'));
    copyFileSync(machine.work.path('data/admin.key'), places.path('safe/admin.key'));
    writeFileSync(places.path('safe/erasures.jsonl'), '');
  };
  const eraseAlice = async (): Promise<void> => {
    await machine.type('fact-memory-node tombstone add user:alice --reason wrong');
    const [id = ''] = /tomb_[0-9a-f-]+/.exec(await machine.type('fact-memory-node tombstone list')) ?? [];
    await machine.type(`fact-memory-node tombstone erase ${id} --yes`);
  };

  it('brings a node back when the disk is gone, and erased facts stay erased', async () => {
    await machine.assert('user:bob', 'stays');
    await keep();
    await eraseAlice();
    copyFileSync(machine.work.path('data/erasures.jsonl'), places.path('safe/erasures.jsonl'));
    const next = await newMachine();
    await next.type(commandsOf('The disk is gone'));
    copyFileSync(places.path('safe/admin.key'), next.work.path('data/admin.key'));
    expect(await next.facts('user:bob')).to.deep.equal(['stays']);
    expect(await next.facts('user:alice')).to.deep.equal([]);
  });

  it('brings a damaged database back, with the facts since the backup', async () => {
    await machine.type('fact-memory-node backup');
    await machine.assert('user:bob', 'later words');
    await machine.type('systemctl stop fact-memory-node');
    const database = new DatabaseSync(machine.work.path('data/svc.db'));
    database.exec('DROP TRIGGER facts_refuse_update');
    database.exec(`UPDATE facts SET value_v = '"damaged"' WHERE entity = 'user:alice' OR entity_key = 'user:alice'`);
    database.close();
    await machine.type('systemctl start fact-memory-node');
    await machine.type(commandsOf('The database is damaged'), { [SHOWN_BACKUP]: machine.backup });
    expect(await machine.facts('user:alice')).to.deep.equal(['first words']);
    expect(await machine.facts('user:bob')).to.deep.equal(['later words']);
    expect(readdirSync(machine.work.path('data')).some((name) => name.startsWith('svc.db.before_'))).to.equal(true);
  });

  it('undoes an import by its source, and keeps the facts of others', async () => {
    for (const entity of ['user:alice', 'user:bob']) await machine.assert(entity, 'wrong words', 'import:wrong');
    await machine.type(commandsOf('A wrong import'));
    expect(await machine.facts('user:alice')).to.deep.equal(['first words']);
    const said = await machine.facts('user:bob');
    expect(said.filter((value) => value !== 'wrong words')).to.deep.equal([]);
    const { length } = readdirSync(machine.work.path('data/backups'));
    expect(length).to.equal(1);
  });

  it('brings back the words that were erased by mistake, about another name', async () => {
    await machine.type('fact-memory-node backup');
    await eraseAlice();
    expect(await machine.facts('user:alice')).to.deep.equal([]);
    await machine.type(commandsOf('A wrong erase'), { [SHOWN_BACKUP]: machine.backup });
    expect(await machine.facts('user:alice')).to.deep.equal([]);
    expect(await machine.facts('user:alice-2')).to.deep.equal(['first words']);
    expect(existsSync(machine.work.path('beside'))).to.equal(false);
  });

  it('goes back to a moment before a wrong change, by increments', async () => {
    const [switchOn = '', goBack = ''] = blocksOf('To any moment, with SQLite');
    await machine.type(switchOn, { '_SECONDS=5': '_SECONDS=1', '/etc/fact-memory-node/environment': 'environment' });
    const reached = async (): Promise<void> => {
      const nowMs = Date.now();
      const chains = `${places.folder}/nas/node-one`;
      await waitUntil('the increments reach this moment', LIMIT_MS, () =>
        (existsSync(chains) ? readdirSync(chains) : [])
          .flatMap((chain) => readdirSync(join(chains, chain)))
          .some((name) => Number(name.split('-')[1]) > nowMs),
      );
    };
    await machine.assert('user:bob', 'right');
    await reached();
    const moment = new Date().toISOString();
    await machine.assert('user:bob', 'wrong');
    await reached();
    const said = await machine.type(goBack, { '2026-11-26T12:00:00Z': moment });
    expect(said).to.include('any moment from').and.include('Kept aside');
    expect(await machine.facts('user:bob')).to.deep.equal(['right']);
    expect(await machine.facts('user:alice')).to.deep.equal(['first words']);
  });

  it('starts a node whose keys were lost', async () => {
    await keep();
    await machine.type('systemctl stop fact-memory-node');
    for (const name of ['node.key', 'admin.key']) rmSync(machine.work.path(`data/${name}`));
    await machine.type(commandsOf('A key is lost'));
    expect(await machine.facts('user:alice', 'admin-new.key')).to.deep.equal(['first words']);
  });

  it('replaces every key after a theft', async () => {
    await keep();
    const next = await newMachine();
    await next.type(commandsOf('The machine is stolen'));
    copyFileSync(places.path('safe/admin.key'), next.work.path('stolen.key'));
    expect(await next.facts('user:alice', 'stolen.key')).to.deep.equal(['status 401']);
    expect(await next.facts('user:alice', 'admin-new.key')).to.deep.equal(['first words']);
    const [now, before] = [next.work.path('data/node.key'), places.path('safe/node.key')];
    expect(readFileSync(now, 'utf8')).to.not.equal(readFileSync(before, 'utf8'));
  });
});
