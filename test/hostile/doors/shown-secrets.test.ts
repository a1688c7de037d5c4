import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { errorReport } from '../../../adapters/cli/report-error.ts';
import { createPinoLogger } from '../../../adapters/log/pino-logger.ts';
import { inspectNode } from '../../../config/inspect-node.ts';
import { openNode } from '../../../config/open-node.ts';
import { BootError, problemOf } from '../../../kernel/problems/boot-problem.ts';
import { maskUrls } from '../../../ports/ports.ts';
import { runInProcess } from '../../adapters/cli/run-in-process.ts';
import { RUNS } from '../../kit/property-runs.ts';
import { inTemporaryFolder } from '../../kit/temporary-folder.ts';

const SECRET = 'canary-5f0c';
const problemsOf = (error: unknown) => (error instanceof BootError ? error.problems : []);

/** A third-party plugin that marks no setting as secret. */
const PLUGIN = `const plugin = {
  name: 'elsewhere', version: '1.0.0', kernelApi: 1, summary: 'x',
  config: { json: { type: 'object', properties: {
    target: { type: 'string', env: 'SVC_ELSEWHERE_TARGET', default: 'https://user:${SECRET}@a.example/?${SECRET}' },
    targets: { type: 'array', items: { type: 'string' }, default: ['https://b.example/?a=${SECRET}&b=${SECRET}#${SECRET}'] },
    open: { type: 'object', default: { deep: { url: 'wss://c.example/in?key=${SECRET}' } } },
  } } },
  setup() {},
};
export { plugin };
`;

describe('An observer reads the output of an operator whose URLs contain secrets (I19)', () => {
  const run = (argv: readonly string[], env: Readonly<Record<string, string>>) =>
    inTemporaryFolder(async (folder) => {
      await writeFile(join(folder, 'elsewhere.mjs'), PLUGIN);
      const config = join(folder, 'node.json');
      await writeFile(config, JSON.stringify({ plugins: { elsewhere: { from: './elsewhere.mjs' } } }));
      const given = { SVC_DB_PATH: join(folder, 'svc.db'), ...env };
      return runInProcess([...argv, '--config', config], { env: given, openNode, inspectNode, problemsOf });
    });

  const ENV = {
    SVC_EMBED_URL: `https://embed.example/v1?api-key=${SECRET}#${SECRET}`,
    SVC_EMBED_MODEL: 'm',
    SVC_ELSEWHERE_TARGET: `postgres://user:${SECRET}@db.example/?password=${SECRET}`,
  };

  it('sees host and parameter names in the output of --print, but no values', async () => {
    const { exitCode, stdout, stderr } = await run(['start', '--print'], ENV);
    expect([exitCode, stderr]).to.deep.equal([0, '']);
    expect(stdout)
      .to.include('https://embed.example/v1?api-key=***#***')
      .and.include('postgres://***@db.example/?password=***')
      .and.include('https://b.example/?a=***&b=***#***')
      .and.include('wss://c.example/in?key=***')
      .and.not.include(SECRET);
  });

  it('sees no secret value in the output of "plugins describe" and "plugins doctor"', async () => {
    const described = await run(['plugins', 'describe', 'elsewhere'], ENV);
    expect(described.stdout).to.include('postgres://***@db.example/?password=***').and.not.include(SECRET);
    const doctor = await run(['plugins', 'doctor'], {
      ...ENV,
      SVC_DATABASE_URL: `postgres://user:${SECRET}@127.0.0.1:1/facts?password=${SECRET}`,
      SVC_CORS_ALLOWED_ORIGINS: `https://a.example/?${SECRET}`,
      SVC_NODE_URL: `https://node.example/?invite=${SECRET}`,
    });
    expect(doctor.exitCode).not.to.equal(0);
    expect(doctor.stdout + doctor.stderr)
      .to.include('SVC_CORS_ALLOWED_ORIGINS')
      .and.include('SVC_NODE_URL')
      .and.not.include(SECRET);
  });

  it('sees no secret value in the log: messages, fields, errors and their causes', () => {
    const lines: string[] = [];
    const log = createPinoLogger({ level: 'debug', write: (line) => lines.push(line) });
    const url = `https://user:${SECRET}@a.example/in?token=${SECRET}`;
    const error = Object.assign(new Error(`no answer from ${url}`, { cause: new Error(`at ${url}, again`) }), {
      hint: `try ${url}`,
    });
    log.child({ url }).error(`failed to call ${url}`, { url, urls: [url, { deep: url }], error, cause: url });
    expect(lines.join('')).to.include('https://***@a.example/in?token=***').and.not.include(SECRET);
  });

  it('sees no secret value in the error of a command, or in the reason for a failed start', () => {
    const error = new Error(`cannot call https://a.example/?key=${SECRET}`);
    expect(errorReport(error)).to.include('https://a.example/?key=***').and.not.include(SECRET);
    expect(problemOf(error, 'elsewhere failed').message).to.equal(
      'elsewhere failed: cannot call https://a.example/?key=***',
    );
  });
});

describe('The masking of URLs', () => {
  it('leaves text without secrets unchanged', () => {
    const plain = [
      '',
      'a text',
      'a?b=c',
      'user@example.org',
      'http://localhost:8765/v1/facts',
      'svc://a/type/id',
      'x://',
    ];
    for (const text of plain) expect(maskUrls(text), text).to.equal(text);
  });

  const QUOTED = ["a'b", 'a"b', 'a`b', 'a<b>c', 'a\\b', 'a/b"c', `a'b@c"d`];

  it('masks passwords that are not percent-encoded', () => {
    for (const password of ['a:b', 'a@b', 'a/b', 'a?b', 'a#b', '1/2', 'a:b@c/d?e#f', ...QUOTED]) {
      const shown = maskUrls(`postgres://user:${password}@db.example/facts`);
      expect(shown, password).to.be.oneOf(['postgres://***@db.example/facts', 'postgres://***']);
    }
  });

  it('takes linear time for a text with many beginnings of URLs', () => {
    // Each beginning is scanned up to a bound; scanning to the end from each one would take a minute here.
    for (const piece of ['"://', '://a@', '://a@"', '@://"']) {
      expect(maskUrls(piece.repeat(50_000)).length, piece).to.be.at.least(4);
    }
  });

  it('masks each URL of a text', () => {
    expect(maskUrls('from https://a.example/?k=1 to "https://b.example/?k=2", at (wss://c.example/?3)')).to.equal(
      'from https://a.example/?k=*** to "https://b.example/?k=***", at (wss://c.example/?***',
    );
  });

  it('masks the value of every query parameter', () => {
    const piece = fc.stringMatching(/^[a-z0-9%&=?/:@;,+~.-]{0,20}$/);
    fc.assert(
      fc.property(piece, piece, piece, (path, name, rest) => {
        const shown = maskUrls(`see https://h.example/${path}?${name.replace(/[?&=]/g, '')}=${SECRET}${rest} for more`);
        expect(shown).not.to.include(SECRET);
      }),
      { numRuns: RUNS },
    );
  });
});
