import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { count } from '../crash/crash-counts.ts';
import { HostNetwork } from './host-network.ts';
import { POSTGRES_PROGRAMS } from './patroni-config.ts';

const ROUNDS = count('SVC_TEST_FAILOVER_ROUNDS', 0, 20);
const MINUTES_PER_ROUND = 6;
const PROGRAM = fileURLToPath(new URL('failover-rounds.js', import.meta.url));
const NEEDED = ['/usr/bin/patroni', '/usr/bin/etcd', '/usr/bin/setpriv', join(POSTGRES_PROGRAMS, 'psql')];

/** Returns why these tests cannot run here; undefined where they can. */
const obstacle = (): string | undefined => {
  if (ROUNDS === 0) return 'they belong to the long run, and to "npm run test:failover"';
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'network namespaces need root on Linux';
  const missing = NEEDED.filter((path) => !existsSync(path));
  return missing.length > 0 ? `Debian packages patroni, etcd-server, postgresql-15 (${missing.join()})` : undefined;
};

/** Returns the numbers of the account that PostgreSQL runs under. */
const accountOfServer = (): readonly string[] => {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  return (
    lines
      .find((line) => line.startsWith('postgres:'))
      ?.split(':')
      .slice(2, 4) ?? []
  );
};

describe('Three processes on a PostgreSQL cluster whose primary fails again and again', () => {
  it('lose no acknowledged fact, store none twice, and serve within 10 s of a primary with a standby', async function () {
    const reason = obstacle();
    if (reason !== undefined) {
      console.log(`      rounds of failover are left out: ${reason}`);
      return;
    }
    this.timeout((ROUNDS + 1) * MINUTES_PER_ROUND * 60_000);
    const name = `fmn${process.pid}`;
    const network = new HostNetwork(name);
    try {
      await network.create();
      const program = [process.execPath, PROGRAM, name, String(ROUNDS), ...accountOfServer()];
      const child = spawn('ip', ['netns', 'exec', network.hub, ...program], { stdio: ['ignore', 'pipe', 'inherit'] });
      let printed = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        printed += text;
        process.stdout.write(text);
      });
      const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
      expect(printed.match(/^round .* 0 lost, 0 doubled, 0 problems$/gm)).to.have.length(ROUNDS);
      expect(code).to.equal(0);
    } finally {
      await network.remove();
    }
  });
});
