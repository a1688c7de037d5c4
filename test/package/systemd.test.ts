import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { projectRoot } from '../architecture/source-files.ts';
import { packedPackage } from './packed-package.ts';

const UNIT = 'packaging/systemd/fact-memory-node.service';
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
    expect(files.map(({ path }) => path)).to.include(UNIT);
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
