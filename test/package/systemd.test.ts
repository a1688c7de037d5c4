import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { projectRoot } from '../architecture/source-files.ts';
import { inTemporaryFolder } from '../kit/temporary-folder.ts';
import { packedPackage } from './packed-package.ts';

const UNIT = 'packaging/systemd/fact-memory-node.service';
const COMMAND = 'packaging/systemd/fact-memory-node';
/** The highest accepted exposure score out of 100; systemd calls 10 "safe" and 50 "medium". */
const MOST_EXPOSED = 20;

/** The directives that this unit may contain, by section, in the spelling of systemd. */
const KNOWN: Readonly<Record<string, RegExp>> = {
  Unit: /^(Description|Documentation|After|Wants|StartLimit(IntervalSec|Burst))$/,
  Service: new RegExp(
    '^(Type|ExecStart|Environment(File)?|Restart(Sec)?|KillMode|Timeout(Start|Stop)Sec|DynamicUser|StateDirectory(Mode)?|' +
      'WorkingDirectory|UMask|LimitNOFILE|NoNewPrivileges|RemoveIPC|LockPersonality|CapabilityBoundingSet|' +
      'AmbientCapabilities|SystemCall(Architectures|Filter|ErrorNumber)|Private(Devices|Tmp|Users)|' +
      'Protect(System|Home|Proc|Clock|Hostname|ControlGroups|KernelLogs|KernelModules|KernelTunables)|' +
      'Restrict(Namespaces|Realtime|SUIDSGID|AddressFamilies))$',
  ),
  Install: /^WantedBy$/,
};

describe('the unit for systemd', function () {
  this.timeout(120_000);
  const lines = readFileSync(join(projectRoot(), UNIT), 'utf8').split('\n');
  let section = '';
  const directives = lines.flatMap((line) => {
    section = /^\[(\w+)\]$/.exec(line)?.[1] ?? section;
    if (line === '' || line.startsWith('#') || line.startsWith('[')) return [];
    const [, name = line, value = ''] = /^(\w+)=(.*)$/.exec(line) ?? [];
    return [{ section, name, value }];
  });
  const valueFor = (wanted: string): string | undefined => directives.find(({ name }) => name === wanted)?.value;

  it('has only sections and directives that systemd supports', () => {
    expect(directives.length).to.be.above(20);
    const unknown = directives.filter(({ section, name }) => KNOWN[section]?.test(name) !== true);
    expect(unknown).to.deep.equal([]);
  });

  it('starts a file of the package', async () => {
    const { installed, files } = await packedPackage();
    const [, program = '', ...args] = /^\/usr\/bin\/env node (\S+) (.*)$/.exec(valueFor('ExecStart') ?? '') ?? [];
    const inside = program.split('/node_modules/fact-memory-node/')[1] ?? '';
    expect(existsSync(join(installed, inside)), inside).to.equal(true);
    expect(args).to.deep.equal(['start']);
    expect(files.map(({ path }) => path)).to.include.members([UNIT, COMMAND]);
  });

  it('gives the node its own user and folder, and no other place to write', () => {
    expect(valueFor('DynamicUser')).to.equal('yes');
    expect(valueFor('WorkingDirectory')).to.equal(`/var/lib/${valueFor('StateDirectory')}`);
    expect([valueFor('StateDirectoryMode'), valueFor('UMask')]).to.deep.equal(['0700', '0077']);
    expect([valueFor('ProtectSystem'), valueFor('ProtectHome'), valueFor('NoNewPrivileges')]).to.deep.equal([
      'strict',
      'yes',
      'yes',
    ]);
    expect(valueFor('CapabilityBoundingSet')).to.equal('');
    // This option would forbid V8 to compile to memory.
    expect(valueFor('MemoryDenyWriteExecute')).to.equal(undefined);
    expect(Number(valueFor('TimeoutStopSec'))).to.be.above(10);
  });

  it('has a command that works as its user, in its folder and with its settings', () => {
    const text = readFileSync(join(projectRoot(), COMMAND), 'utf8');
    const set = [...text.matchAll(/--property=(\w+)=(\S+)/g)].map(([, name = '', value]) => [name, value]);
    // The user of a unit without a name for it is called like the unit.
    const unit = /([\w-]+)\.service$/.exec(UNIT)?.[1];
    expect(set).to.deep.equal([
      ['DynamicUser', 'yes'],
      ['User', unit],
      ...['StateDirectory', 'StateDirectoryMode', 'WorkingDirectory', 'UMask', 'EnvironmentFile'].map((name) => [
        name,
        valueFor(name),
      ]),
    ]);
    const [, program = ''] = /^(\/usr\/bin\/env node \S+)/.exec(valueFor('ExecStart') ?? '') ?? [];
    expect(text).to.include(`set -- ${program} "$@"`);
  });

  it('passes words and variables to the command, and shows no value of a variable', () =>
    inTemporaryFolder(async (folder) => {
      writeFileSync(join(folder, 'systemd-run'), '#!/bin/sh\nprintf "%s\\n" "$@"\n', { mode: 0o755 });
      const env = { PATH: `${folder}:${process.env['PATH']}`, SVC_API_KEY: 'a secret', SVC_URL: 'http://x' };
      const { stdout } = spawnSync('sh', [join(projectRoot(), COMMAND), 'key', 'add', 'x y'], {
        env,
        encoding: 'utf8',
      });
      const words = stdout.trim().split('\n');
      expect(words).to.include.members(['--setenv=SVC_API_KEY', '--setenv=SVC_URL']);
      expect(words.slice(-3)).to.deep.equal(['key', 'add', 'x y']);
      expect(words.indexOf('/usr/bin/env')).to.be.above(words.indexOf('--setenv=SVC_API_KEY'));
      expect(stdout).to.not.include('a secret');
    }));

  it('has no finding of systemd-analyze, if that is installed', () => {
    const verify = spawnSync('systemd-analyze', ['verify', '--man=no', join(projectRoot(), UNIT)], {
      encoding: 'utf8',
    });
    if (verify.error !== undefined) {
      console.log('      systemd-analyze is not installed here: the unit is judged by the rules above alone');
      return;
    }
    expect([verify.status, verify.stderr]).to.deep.equal([0, '']);
    const security = [
      'security',
      '--offline=true',
      `--threshold=${MOST_EXPOSED}`,
      '--no-pager',
      join(projectRoot(), UNIT),
    ];
    const judged = spawnSync('systemd-analyze', security, { encoding: 'utf8' });
    expect(judged.status, judged.stdout.split('\n').slice(-3).join('\n')).to.equal(0);
  });
});
